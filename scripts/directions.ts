/** Checks the direction rules over src: `npm run -s directions`. With `--graph` it prints which domain uses which. */
import { domainGraph, readSources, violations } from './directions/check.ts'
import { domains } from './directions/rules.ts'
import { laterReads } from './directions/table-writers.ts'

const sources = readSources()
if (process.argv.includes('--graph')) {
  const graph = domainGraph(sources)
  for (const domain of domains)
    console.log(`${domain}: ${domains.filter((other) => graph.get(domain)?.has(other)).join(' ')}`)
}
const found = [...violations(sources), ...laterReads(sources)]
for (const text of found) console.error(text)
if (found.length > 0) {
  console.error(`${found.length} violations of the direction rules (docs/design/architecture.md)`)
  process.exitCode = 1
}
