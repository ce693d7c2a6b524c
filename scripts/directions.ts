/** Checks the direction rules over src: `npm run -s directions`. With `--graph` it prints which subject uses which. */
import { readOrder, readSources, subjectGraph, violations } from './directions/check.ts'

const sources = readSources()
const order = readOrder()
if (process.argv.includes('--graph')) {
  const graph = subjectGraph(sources)
  for (const subject of order)
    console.log(
      `${subject}: ${[...(graph.get(subject) ?? [])].toSorted((a, b) => order.indexOf(a) - order.indexOf(b)).join(' ')}`,
    )
}
const found = violations(sources, order)
for (const text of found) console.error(text)
if (found.length > 0) {
  console.error(`${found.length} violations of the direction rules (docs/architecture.md)`)
  process.exitCode = 1
}
