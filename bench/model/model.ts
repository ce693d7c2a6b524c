import { AFTERWARDS, DAY_BY_PEAK, MACHINES, PUSH, REQUESTS, SIZES, type RequestCost } from './costs.ts'
import { quantileOfWait } from './queues.ts'
import { randomOf, type Random } from './random.ts'
import { quantile, simulate, type Flow, type Station, type Step } from './simulate.ts'

/** What an installation has to carry in its busiest hour. */
export interface Demand {
  readonly repositories: number
  readonly accounts: number
  readonly requestsPerSecond: number
  readonly pushesPerSecond: number
}

export const DEMAND: Demand = {
  repositories: 1_000_000,
  accounts: 100_000,
  requestsPerSecond: 2_000,
  pushesPerSecond: 20,
}

/**
 * What must hold: 99 of 100 reads, and of 100 pushes, in ms; the share of the time for which workers are busy at most.
 */
export const TARGETS = { read: 100, push: 1_000, busy: 0.7 } as const

/** Rates for a second unless they say otherwise. */
export interface Rates {
  /** Busy cores. */
  readonly workerCores: number
  readonly gitCores: number
  readonly databaseCores: number
  readonly backgroundCores: number
  readonly statements: number
  readonly commits: number
  readonly announcements: number
  readonly fileOperations: number
  readonly megabytesSent: number
  readonly deliveries: number
  readonly gigabytesOfPacksPerDay: number
  readonly gigabytesOfFilesPerDay: number
  readonly gigabytesOfRowsPerDay: number
}

const GB = 1e9
const DAY = 86_400

/** What a demand costs, without any waiting. */
export function ratesOf({ requestsPerSecond, pushesPerSecond }: Demand): Rates {
  const sum = (of: (cost: RequestCost) => number): number =>
    REQUESTS.reduce((total, cost) => total + cost.share * requestsPerSecond * of(cost), pushesPerSecond * of(PUSH))
  const writes = sum(({ commits }) => commits)
  const deliveries = writes * AFTERWARDS.webhooks
  const background = writes * AFTERWARDS.eventNode + deliveries * AFTERWARDS.deliveryNode
  const pushesOfDay = pushesPerSecond * DAY * DAY_BY_PEAK
  return {
    workerCores: (sum(({ node }) => node) + background) / 1000,
    gitCores: sum(({ git }) => git) / 1000,
    databaseCores:
      (sum(({ database }) => database) + writes * AFTERWARDS.eventDatabase + deliveries * AFTERWARDS.deliveryDatabase) /
      1000,
    backgroundCores: background / 1000,
    statements: sum(({ statements }) => statements),
    commits: writes * (1 + AFTERWARDS.eventCommits) + deliveries * AFTERWARDS.deliveryCommits,
    announcements: writes * AFTERWARDS.announcements,
    fileOperations: sum(({ fileOperations }) => fileOperations),
    megabytesSent: sum(({ kilobytes }) => kilobytes) / 1000,
    deliveries,
    gigabytesOfPacksPerDay: (pushesOfDay * SIZES.push) / GB,
    gigabytesOfFilesPerDay: (pushesOfDay * SIZES.largeShare * SIZES.large) / GB,
    gigabytesOfRowsPerDay:
      (pushesOfDay * SIZES.pushRows + (writes - pushesPerSecond) * DAY * DAY_BY_PEAK * SIZES.issueRows) / GB,
  }
}

/** What a demand has stored before its first day. */
export const storedBy = ({ repositories, accounts }: Demand) => ({
  terabytesOfPacks: (repositories * SIZES.repository) / 1e12,
  gigabytesOfRows: (repositories * SIZES.repositoryRows + accounts * SIZES.accountRows) / GB,
})

/** Times in ms. */
export interface Simulated {
  readonly nodes: number
  readonly read: number
  readonly push: number
  /** Share of the time for which workers, git's cores, the database, and the process of background work are busy. */
  readonly busy: Readonly<Record<'workers' | 'git' | 'database' | 'background', number>>
}

/** Each worker has a queue of its own, and takes a share of the requests by chance, as one listener gives it. */
export function simulateNodes(
  demand: Demand,
  nodes: number,
  { seconds, seed }: { seconds: number; seed: number },
): Simulated {
  const workers = nodes * MACHINES.workers
  const git = workers
  const [database, network, background] = [git + nodes, git + nodes + 1, git + nodes + 2]
  const stations: Station[] = [
    ...Array.from({ length: workers }, (_, i) => ({ name: `worker ${i}`, servers: 1 })),
    ...Array.from({ length: nodes }, (_, i) => ({ name: `git ${i}`, servers: MACHINES.gitCores })),
    { name: 'database', servers: MACHINES.databaseCores },
    { name: 'network', servers: Number.MAX_SAFE_INTEGER },
    { name: 'background', servers: 1 },
  ]
  const steps = (cost: RequestCost, random: Random): Step[] => {
    const worker = Math.floor(random() * workers)
    // Statements of one request are sent together where they can be: half as many round trips.
    const trips = Math.ceil(cost.statements / 2)
    const slice = { station: worker, mean: cost.node / 1000 / (trips + 1) }
    const trip = [
      { station: network, mean: MACHINES.roundTrip / 1000 },
      { station: database, mean: cost.database / 1000 / trips },
      slice,
    ]
    const ofGit =
      cost.git === 0 ? [] : [{ station: git + Math.floor(worker / MACHINES.workers), mean: cost.git / 1000 }, slice]
    return [slice, ...Array.from({ length: trips }, () => trip).flat(), ...ofGit]
  }
  const { deliveries, backgroundCores } = ratesOf(demand)
  const flows: Flow[] = [
    ...[...REQUESTS, PUSH].map((cost) => ({
      name: cost.name,
      perSecond: cost === PUSH ? demand.pushesPerSecond : cost.share * demand.requestsPerSecond,
      steps: (random: Random) => steps(cost, random),
    })),
    {
      name: 'background',
      perSecond: deliveries,
      steps: () => [{ station: background, mean: backgroundCores / deliveries }],
    },
  ]
  const { times, busy } = simulate({ stations, flows, seconds, random: randomOf(seed) })
  const reads = REQUESTS.filter(({ commits, git: ofGit }) => commits === 0 && ofGit === 0)
    .flatMap(({ name }) => times.get(name)!)
    .toSorted((a, b) => a - b)
  const mean = (from: number, to: number): number => busy.slice(from, to).reduce((a, b) => a + b, 0) / (to - from)
  return {
    nodes,
    read: quantile(reads, 0.99) * 1000,
    push: quantile(times.get(PUSH.name)!, 0.99) * 1000,
    busy: {
      workers: mean(0, workers),
      git: mean(git, git + nodes),
      database: busy[database]!,
      background: busy[background]!,
    },
  }
}

const MAX_NODES = 64

/** The fewest nodes with which the targets hold, or undefined where no number of them is enough. */
export function nodesFor(demand: Demand, options: { seconds: number; seed: number }): Simulated | undefined {
  const { workerCores, gitCores, databaseCores } = ratesOf(demand)
  if (databaseCores >= MACHINES.databaseCores) return undefined
  const min = Math.ceil(Math.max(workerCores / MACHINES.workers, gitCores / MACHINES.gitCores))
  for (let nodes = Math.max(1, min); nodes <= MAX_NODES; nodes++) {
    const simulated = simulateNodes(demand, nodes, options)
    const isQuick = simulated.read <= TARGETS.read && simulated.push <= TARGETS.push
    if (isQuick && simulated.busy.workers <= TARGETS.busy) return simulated
  }
  return undefined
}

export interface Limit {
  readonly what: string
  readonly used: number
  readonly available: number
  /** How many times the demand it carries. */
  readonly times: number
  readonly remedy: string
}

/** What is not multiplied by more nodes, that which breaks first before the others. */
export function limitsOf(demand: Demand, nodes: number): Limit[] {
  const rates = ratesOf(demand)
  const perNode = MACHINES.poolOfNode + MACHINES.workers
  const limit = (what: string, used: number, available: number, remedy: string): Limit => ({
    what,
    used,
    available,
    times: available / used,
    remedy,
  })
  return [
    limit('one process for events, jobs and webhooks, cores', rates.backgroundCores, 1, 'none yet: one worker leads'),
    limit(
      'CPU of PostgreSQL, cores',
      rates.databaseCores,
      MACHINES.databaseCores,
      'a larger server; reads are not sent to replicas',
    ),
    limit(
      'connections to PostgreSQL',
      (nodes + 1) * perNode,
      MACHINES.databaseConnections,
      'a smaller database.max_connections',
    ),
    limit('commits', rates.commits, MACHINES.commits, 'faster fsync'),
    limit(
      'announcements, if none shared a NOTIFY',
      rates.announcements,
      MACHINES.notifies,
      'they share one under load',
    ),
    limit(
      'operations of the shared file system',
      rates.fileOperations,
      MACHINES.fileOperations,
      'a faster file server',
    ),
  ].toSorted((a, b) => a.times - b.times)
}

/** Milliseconds that 99 of 100 statements wait at most for a connection of a node's pool, all nodes being equal. */
export function waitForConnection(demand: Demand, nodes: number): number {
  const { statements, databaseCores } = ratesOf(demand)
  const service = databaseCores / statements + MACHINES.roundTrip / 1000
  return quantileOfWait({ servers: MACHINES.poolOfNode, perSecond: statements / nodes, service }, 0.99) * 1000
}
