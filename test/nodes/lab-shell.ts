/** `npm run lab -- [nodes] [links]`: a formed cluster of lab nodes to look at, until Ctrl-C. Prints how to get into each node. */
import { Lab } from './lab/lab.ts'

const count = Number(process.argv[2] ?? 3)
const links = Number(process.argv[3] ?? 1)
const lab = new Lab(
  Array.from({ length: count }, (_, index) => `n${index + 1}`),
  { links },
)
const ended = new Promise((resolve) => {
  process.once('SIGINT', resolve)
  process.once('SIGTERM', resolve)
})
try {
  await lab.start()
  for (const node of lab.nodes) console.log(`${node}: ${lab.doorTo(node)} bash`)
  console.log(`network: ${lab.network.name}`)
  await lab.formCluster()
  await lab.createFencing()
  console.log(`The cluster has formed; logs are in ${lab.folder}/nodes/*/systoled.log. Ctrl-C ends it.`)
  await ended
} catch (error) {
  console.error(error)
  await ended
} finally {
  await lab.close()
}
