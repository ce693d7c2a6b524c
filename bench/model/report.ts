import { drawTable, shortNumber } from '../table.ts'
import { MACHINES } from './costs.ts'
import { DEMAND, limitsOf, nodesFor, ratesOf, storedBy, TARGETS, waitForConnection, type Demand } from './model.ts'

const SEED = 15
/** Simulated seconds of the demand itself; larger demands are simulated for fewer, so that each takes as long. */
const SECONDS = 40
const TIMES = [0.25, 0.5, 1, 2, 4, 8]

const timesOf = (times: number): Demand => ({
  repositories: DEMAND.repositories * times,
  accounts: DEMAND.accounts * times,
  requestsPerSecond: DEMAND.requestsPerSecond * times,
  pushesPerSecond: DEMAND.pushesPerSecond * times,
})

/** The tables of `--only model` and its numbers. */
export function modelTables(): { text: string; figures: unknown } {
  const grown = TIMES.map((times) => {
    const demand = timesOf(times)
    const simulated = nodesFor(demand, { seconds: SECONDS / times, seed: SEED })
    return { times, demand, rates: ratesOf(demand), simulated }
  })
  const own = grown.find(({ times }) => times === 1)!
  const nodes = own.simulated?.nodes ?? Number.NaN
  const limits = limitsOf(DEMAND, nodes)
  const stored = storedBy(DEMAND)
  const text = [
    `${DEMAND.repositories} repositories, ${DEMAND.accounts} accounts, ${DEMAND.requestsPerSecond} requests/s, ${DEMAND.pushesPerSecond} pushes/s; nodes of ${MACHINES.workers} workers and ${MACHINES.gitCores} cores for git, PostgreSQL with ${MACHINES.databaseCores} cores. Costs and assumptions: bench/model/costs.ts`,
    drawTable(
      [
        'load',
        'nodes',
        'p99 read ms',
        'p99 push ms',
        'workers',
        'git',
        'database',
        'connections',
        'wait ms',
        'statements/s',
        'commits/s',
        'announced/s',
      ],
      grown.map(({ times, demand, rates, simulated }) => [
        `${times} x`,
        ...(simulated === undefined
          ? ['none is enough', ...Array.from({ length: 7 }, () => '')]
          : [
              String(simulated.nodes),
              shortNumber(simulated.read),
              shortNumber(simulated.push),
              ...[simulated.busy.workers, simulated.busy.git, simulated.busy.database].map(percent),
              String(simulated.nodes * (MACHINES.poolOfNode + MACHINES.workers)),
              shortNumber(waitForConnection(demand, simulated.nodes)),
            ]),
        shortNumber(rates.statements),
        shortNumber(rates.commits),
        shortNumber(rates.announcements),
      ]),
    ),
    `The fewest nodes with which 99 % of reads take at most ${TARGETS.read} ms and of pushes ${TARGETS.push} ms, with workers busy for ${percent(TARGETS.busy)}; one more replaces a node that ends.`,
    drawTable(
      ['what does not grow with the nodes', 'used', 'available', 'enough for', ''],
      limits.map(({ what, used, available, times, remedy }) => [
        what,
        shortNumber(used),
        String(available),
        `${shortNumber(times)} x`,
        remedy,
      ]),
    ),
    drawTable(
      ['at 1 x', ''],
      [
        [
          'cores: workers, git, database',
          [own.rates.workerCores, own.rates.gitCores, own.rates.databaseCores].map(shortNumber).join(', '),
        ],
        ['memory of the nodes, GB', shortNumber((nodes * MACHINES.workers * MACHINES.workerMemory) / 1000)],
        [
          'notifications that PostgreSQL hands out /s, at most',
          shortNumber(own.rates.announcements * nodes * MACHINES.workers),
        ],
        ['deliveries of webhooks /s', shortNumber(own.rates.deliveries)],
        ['sent to clients, MB/s', shortNumber(own.rates.megabytesSent)],
        ['repositories at first, TB', shortNumber(stored.terabytesOfPacks)],
        ['packs, GB a day', shortNumber(own.rates.gigabytesOfPacksPerDay)],
        ['large files, GB a day', shortNumber(own.rates.gigabytesOfFilesPerDay)],
        ['rows at first, GB', shortNumber(stored.gigabytesOfRows)],
        ['rows, GB a day', shortNumber(own.rates.gigabytesOfRowsPerDay)],
      ],
    ),
  ].join('\n\n')
  return { text, figures: { grown, limits, stored } }
}

const percent = (share: number): string => `${Math.round(share * 100)} %`
