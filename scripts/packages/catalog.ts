/** The explanations of messages as systemd's catalog has them (https://systemd.io/CATALOG). */
import { messageKinds } from '../../src/daemon/host/message-kinds.ts'

export const catalog = (): string =>
  [...messageKinds.values()]
    .map(
      ({ id, subject, explanation }) =>
        `-- ${id}\nSubject: ${subject}\nDefined-By: Systole\nDocumentation: man:systoled(8)\n\n${explanation}\n`,
    )
    .join('\n')
