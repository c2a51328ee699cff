/** Prints the catalog of the journal's messages: what `journalctl -x` explains them with. The packages have it. */
import { catalog } from './packages/catalog.ts'

process.stdout.write(catalog())
