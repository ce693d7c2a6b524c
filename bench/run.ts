import type { SeedData } from './data/fill.ts'
import type { LargeRepo } from './data/large-repo.ts'
import type { ListSize } from './data/list-size.ts'
import type { Generator } from './load/generator.ts'
import type { BareServer } from './load/yardsticks.ts'
import type { Options } from './options.ts'
import type { TempDir } from './system/processes.ts'
import type { OwnServer, Target } from './system/target.ts'

/** What all servers of a bench have in common. */
export interface Bench {
  readonly tempDir: TempDir
  readonly options: Options
  readonly generator: Generator
  readonly bare: BareServer
  readonly large: LargeRepo
  /** Makes the large repository unless it is there. */
  makeLarge(): Promise<void>
}

/** The objects of one run: a server, the data on it, and the yardsticks. */
export interface Run extends Bench {
  readonly target: Target
  readonly seed: SeedData
  /** The process, where the run started the server. */
  readonly own: OwnRun | undefined
}

interface OwnRun {
  readonly server: OwnServer
  readonly dataDir: string
  /** Empty for SQLite. */
  readonly databaseUrl: string
  readonly lists: ListSize
  /** MB just after the first start; undefined where it was not measured. */
  readonly memoryIdle: number | undefined
  /** Processes whose CPU time a request costs: the server, and that of its database. */
  readonly pids: readonly number[]
}

/** Address of a repository of the run for git. */
export const gitUrl = ({ target }: Pick<Run, 'target'>, name: string): string =>
  `${target.url}/${target.login}/${name}.git`

/** Progress goes to standard error, so that the tables can be kept alone. */
export function say(what: string): void {
  console.error(`[${Math.round(performance.now() / 1000)} s] ${what}`)
}
