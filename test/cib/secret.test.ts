import { expect, test } from 'vitest'
import {
  isSecretName,
  parseXml,
  printXml,
  secretNames,
  secretNamesOf,
  secretValues,
  textWithoutSecrets,
  withoutSecrets,
  wordsWithoutSecrets,
  type XmlElement,
} from '../../src/cib/index.ts'

/** Of Debian's fence agents and resource agents, and of others that are in use. */
const secret =
  'passwd password passwd1 db_passwd snmp_priv_passwd admin_password monpassword incoming_password test_pass userpass OS_PASSWORD ' +
  'secret secret_key secretKey client-secret token api_token joinToken credential api_credential credentials apikey api_key apiKey ' +
  'access_key private_key ssh_private_key key keys community snmp_community passphrase pin psk bearer'
/** Where a secret lies, how it is asked for, what is not one though it sounds like it. */
const open =
  'passwd_script password_script snmp_priv_passwd_script key_file keyfile token_file identity_file login_timeout ip username login user ' +
  'auth snmp_auth_prot snmp_priv_prot privlvl cmd_prompt password_prompt key_value public_key publicKey ssh_known_hosts tokenMs access_key_id ' +
  'keytab tlscert cacert session_url port plug pcmk_host_list bypass ping_interval monitor multicast_snooping private_ip_address'

test.each(secret.split(' '))('%s is secret', (name) => expect(isSecretName(name)).toBe(true))
test.each(open.split(' '))('%s is not', (name) => expect(isSecretName(name)).toBe(false))

const text = `<cib><configuration><crm_config><cluster_property_set id="o"><nvpair id="o1" name="secret-names" value="license, site-*-code  *x*y*"/></cluster_property_set></crm_config>
<resources><primitive id="a"><instance_attributes id="i"><nvpair id="i1" name="passwd" value="he&lt;llo"/><nvpair id="i2" name="weird" value="marked"/><nvpair id="i3" name="License" value="named"/><nvpair id="i4" name="check_passwd" value="true"/></instance_attributes></primitive></resources></configuration>
<status><node_state id="1"><lrm_rsc_op id="a_start" op-secure-params=" weird  other "/></node_state></status></cib>`

function cib(): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error('the CIB of this test is malformed')
  return parsed.value
}

test('a cluster adds names by its option, and agents by what they mark as private', () => {
  const isSecret = secretNames(cib())
  const names = ['passwd', 'weird', 'other', 'license', 'site-north-code', 'aXbYc', 'site-code', 'code', 'xa', 'ip']
  expect(names.filter(isSecret)).toEqual(['passwd', 'weird', 'other', 'license', 'site-north-code', 'aXbYc'])
  expect(secretNamesOf({ options: ['a*a'] })('a')).toBe(false)
})

test('a CIB is shown with stars for what is secret', () => {
  const isSecret = secretNames(cib())
  expect(secretValues(cib(), isSecret)).toEqual(['he<llo', 'marked', 'named'])
  const shown = printXml(withoutSecrets(cib(), isSecret))
  for (const value of ['he&lt;llo', 'marked', 'named']) expect(shown).not.toContain(value)
  expect(shown).toContain('name="passwd" value="******"')
})

const told: readonly (readonly [string, string])[] = [
  ['login with hunter2@bmc failed (hunter2x)', 'login with ******@bmc failed (******x)'],
  ['{"passwd":"x y","ip":"1"}', '{"passwd":"******","ip":"1"}'],
  ['{\\"passwd\\":\\"x y\\"}', '{\\"passwd\\":\\"******\\"}'],
  ["apikey = 'abc', ip=1.2.3.4", "apikey = '******', ip=1.2.3.4"],
  ['<nvpair name="community" value="public" id="a"/>', '<nvpair name="community" value="******" id="a"/>'],
  ['https://root:pw@bmc/redfish', 'https://root:******@bmc/redfish'],
  ['passwd_script=/bin/ask', 'passwd_script=/bin/ask'],
  ['he&lt;llo and "he<llo"', '****** and "******"'],
]
test.each(told)('%s', (said, shown) =>
  expect(textWithoutSecrets(said, isSecretName, ['hunter2', 'he<llo'])).toBe(shown),
)

test('of a short one only whole words are hidden: the gaps in others would tell it', () => {
  expect(textWithoutSecrets("Unable to log in with 'b': b is wrong", isSecretName, ['b'])).toBe(
    "Unable to log in with '******': ****** is wrong",
  )
})

test('a long line is read in linear time', () => {
  const began = performance.now()
  for (const piece of ['a', 'a=', '"', '<a ', "a='", 'a://b:', 'a-'])
    textWithoutSecrets(piece.repeat(100_000), isSecretName)
  expect(performance.now() - began).toBeLessThan(5000)
})

test('the words of a command line', () => {
  const words = ['create', 'f', 'passwd=x', '--join-token', 'x', 'ip=1', '--token=x', '<nvpair name="pin" value="x"/>']
  const shown = wordsWithoutSecrets(words, isSecretName).join(' ')
  expect(shown).toBe(
    'create f passwd=****** --join-token ****** ip=1 --token=****** <nvpair name="pin" value="******"/>',
  )
})

test('a patch tells which pair it changes by its path', () => {
  const patch = `<diff><change operation="modify" path="/cib/configuration/nvpair[@id='f-instance_attributes-passwd']"><change-list><change-attr name="value" operation="set" value="tell-nobody"/></change-list><change-result><nvpair id="f-instance_attributes-passwd" value="tell-nobody"/></change-result></change></diff>`
  expect(wordsWithoutSecrets(['-p', '-X', patch], isSecretName).join(' ')).not.toContain('tell-nobody')
})
