import { DATABASES, nameOn, onBothDatabases } from '../databases/both-databases.ts'
import { issueLabel, issueRepo, issueSize } from '../data/issue-size.ts'
import { listUser } from '../data/list-size.ts'
import type { Figure, Trial } from '../figure.ts'
import { applyWrkMix } from '../load/wrk.ts'
import { ISSUE_KINDS, READ_KINDS } from '../mix/mix-addresses.ts'
import { makeMixData, type MixData, writeDuring } from '../mix/mix-data.ts'
import { PARTS, profileDuring } from '../mix/profile.ts'
import type { Run } from '../run.ts'
import { cpuOf } from '../system/process-tree.ts'

/** Writes per second during the reads. */
const WRITES = [0, 5, 20] as const
/** At this scale and above all issues; fewer at smaller ones. */
const FULL_SCALE = 0.2
const MIN_SHARE = 0.1
const CONNECTIONS = 16
const KIND_SECONDS = 2
const MIX_SECONDS = 8
const MAX_CPU = 350
/** PostgreSQL counts the server and the database. */
const POSTGRES_TIMES = 2
const KIND_WRITES = 20
const P99_TIMES = 5

const mixName = (writes: number): string => `mix: CPU time of a read, ${writes} writes/s`
const kindName = (kind: string): string => `mix: ${kind}`
const partName = (part: string): string => `mix: time in ${part}, ${KIND_WRITES} writes/s`
const TAIL = `mix: p99 beside p50, ${KIND_WRITES} writes/s`
const LARGE = 'mix: issues of a large tracker'
const LARGE_TIMES = 1.3
const REFUSED = 'mix: requests refused'

/**
 * Reads of a working day: six accounts read about 900 addresses in random order while issues are commented on and
 * edited. The CPU time is that of the process tree, and of the database, for one read.
 */
export const mix: Trial = {
  names: [
    ...WRITES.map(mixName),
    TAIL,
    ...READ_KINDS.map(({ name }) => kindName(name)),
    ...PARTS.map(partName),
    LARGE,
    REFUSED,
  ].flatMap((name) => DATABASES.map((database) => nameOn(name, database))),
  needs: 'site',
  run: (run) => (run.generator.name === 'wrk' ? onBothDatabases(run, measureOn) : Promise.resolve([])),
}

async function measureOn(run: Run, database: (typeof DATABASES)[number]): Promise<Figure[]> {
  const data = await makeMixData(run, Math.min(1, Math.max(MIN_SHARE, run.options.scale / FULL_SCALE)))
  const kinds = READ_KINDS.map((kind) => ({ ...kind, paths: kind.paths(data) }))
  const times = database === 'PostgreSQL' ? POSTGRES_TIMES : 1
  const figures: Figure[] = []
  let refused = 0
  const all = kinds.flatMap(({ paths }) => paths)
  for (const writes of WRITES) {
    const load = await read(run, data, { paths: all, seconds: MIX_SECONDS, writes })
    refused += load.refused
    figures.push({ name: mixName(writes), measured: load.cpu, unit: 'us', max: MAX_CPU * times })
    if (writes === KIND_WRITES)
      figures.push({
        name: TAIL,
        measured: load.p99,
        unit: 'ms',
        beside: { name: 'p50', value: load.p50 },
        max: P99_TIMES,
      })
  }
  for (const { name, paths, max } of kinds) {
    const load = await read(run, data, { paths, seconds: KIND_SECONDS, writes: KIND_WRITES })
    refused += load.refused
    figures.push({ name: kindName(name), measured: load.cpu, unit: 'us', ...(max && { max: max * times }) })
  }
  if (run.options.workers === 1) figures.push(...(await measureParts(run, data, all)))
  if (database === 'SQLite') figures.push(await measureLarge(run, data))
  figures.push({ name: REFUSED, measured: refused, unit: 'requests', max: 0 })
  return figures.map((figure) => ({ ...figure, name: nameOn(figure.name, database) }))
}

/** The CPU time of a read, that of the server alone, by what it spends it in. */
async function measureParts(run: Run, data: MixData, paths: readonly string[]): Promise<Figure[]> {
  const { server } = run.own!
  let cpu = 0
  const shares = await profileDuring(server, async () => {
    const before = cpuOf(server.child.pid!)
    const { requests } = await read(run, data, { paths, seconds: MIX_SECONDS, writes: KIND_WRITES })
    cpu = ((cpuOf(server.child.pid!) - before) * 1000) / Math.max(1, requests)
  })
  return PARTS.map((part) => ({ name: partName(part), measured: (shares.get(part) ?? 0) * cpu, unit: 'us' }))
}

/** Reads the tracker of fill-issues, which only the server on SQLite has, and the one of the mix. */
async function measureLarge(run: Run, small: MixData): Promise<Figure> {
  const { ofFirst } = issueSize(run.options.scale)
  const large = {
    ...small,
    tracker: `/repos/${listUser(0)}/${issueRepo(0)}`,
    labels: small.labels.map((_, i) => issueLabel(i)),
    issues: Math.min(ofFirst, small.issues),
  }
  const readIssues = async (data: MixData): Promise<number> => {
    const paths = ISSUE_KINDS.flatMap((kind) => kind.paths(data))
    return (await read(run, small, { paths, seconds: MIX_SECONDS, writes: KIND_WRITES })).cpu
  }
  const beside = { name: 'the small one', value: await readIssues(small) }
  return { name: LARGE, measured: await readIssues(large), unit: 'us', beside, max: LARGE_TIMES }
}

interface ReadPlan {
  readonly paths: readonly string[]
  readonly seconds: number
  readonly writes: number
}

/** Reads and writes; the CPU time is that of both for one read, in microseconds. */
async function read(run: Run, data: MixData, { paths, seconds, writes }: ReadPlan) {
  const spent = (): number => run.own!.pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const before = spent()
  const reading = applyWrkMix(run.tempDir, {
    url: run.target.url,
    seconds,
    connections: CONNECTIONS,
    paths,
    tokens: data.tokens,
  })
  const refused = await writeDuring(run, data, { perSecond: writes, work: reading })
  const { p50, p99, requests, failures } = await reading
  return { p50, p99, requests, cpu: ((spent() - before) * 1000) / Math.max(1, requests), refused: refused + failures }
}
