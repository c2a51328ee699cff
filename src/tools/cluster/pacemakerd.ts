/** pacemakerd: agents ask for its version (`pacemakerd -$`) to see whether crm_node knows their node's name. */
import { element } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { flag, hasOption, notDone, valueNotDone } from '../options.ts'
import { printed, refused } from '../reply.ts'
import type { Tool } from '../tool.ts'
import { featureSet, pacemakerVersion } from '../version.ts'

export const pacemakerd: Tool = {
  name: 'pacemakerd',
  summary: 'Show the version. The daemon itself is systoled',
  options: [
    flag('features,F', 'Show the feature set'),
    flag('shutdown,S', "Refused: 'systole cluster stop' stops this node"),
    flag('standby,s', "Refused: 'systole node standby' first, then start the node"),
    notDone('foreground,f', 'this command starts no daemon'),
    valueNotDone('pid-file,p', 'FILE', 'this command starts no daemon'),
  ],
  printsXml: true,
  run: ({ given }) =>
    hasOption(given, 'features')
      ? printed(`Pacemaker ${pacemakerVersion} (Build: systole)\n Supporting v${featureSet}: systole\n`, [
          element('pacemakerd', { version: pacemakerVersion, build: 'systole', feature_set: featureSet }),
        ])
      : refused(
          exitCodes.usage,
          "pacemakerd: the daemon is systoled; here only '--version' and '--features' are answered. 'systole cluster start' and 'systole cluster stop' start and stop a node.",
        ),
}
