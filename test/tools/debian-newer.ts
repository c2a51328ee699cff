/** Calls that Pacemaker 3.0 answers in another way than Debian's 2.1.5. Ours are 3.0's, which `lines/` holds. */
export const newerAnswers: ReadonlySet<string> = new Set([
  'crm_ticket -l',
  'crm_ticket -L',
  'crm_ticket -l -t ticketA',
  'crm_ticket -t ticketA -r',
  'crm_ticket -t ticketA -g',
  'crm_ticket -t ticketA --cleanup',
  'crm_ticket -t ticketA -D none',
  'crm_ticket -t nosuch -D owner',
  'crm_ticket -t ticketA -D granted',
  'crm_ticket -t ticketA -S granted -v true',
  'crm_ticket -t ticketA -S granted -v bogus',
  `cibadmin -C -o crm_config -X '<cluster_property_set id="cib-bootstrap-options"><nvpair id="L-1" name="L" value="x"/></cluster_property_set>'`,
  `cibadmin -C -o resources -X '<primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/>'`,
  `cibadmin --modify --score -o crm_config -X '<cluster_property_set id="cib-bootstrap-options" score="5+=3"/>'`,
  'crm_attribute -n new -v value++',
  "crm_attribute -P -n 'c.*' -D",
  "crm_verify -X '<a/>'",
  // 2.1.5 declares a schema that does not know the types of nodes which it prints.
  'crmadmin -N --output-as=xml',
  'iso8601 -D PT90061S',
  'iso8601 -D PT',
])
