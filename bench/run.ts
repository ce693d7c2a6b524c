import type { SeedData } from './fill.ts'
import type { LargeRepo } from './large-repo.ts'
import type { Options } from './options.ts'
import type { TempDir } from './processes.ts'
import type { OwnServer, Target } from './target.ts'
import type { ListSize } from './list-size.ts'

/** What one run measures: a server, the data on it, and the yardsticks beside it. */
export interface Run {
  readonly tempDir: TempDir
  readonly options: Options
  /** Of the bare server. */
  readonly bareUrl: string
  readonly target: Target
  readonly seed: SeedData
  readonly large: LargeRepo
  /** The process, where the run started the server. */
  readonly own: OwnRun | undefined
}

interface OwnRun {
  readonly server: OwnServer
  readonly dataDir: string
  readonly lists: ListSize
  /** MB just after the first start. */
  readonly memoryIdle: number
}

/** Address of a repository of the run for git. */
export const gitUrl = ({ target }: Pick<Run, 'target'>, name: string): string =>
  `${target.url}/${target.login}/${name}.git`

/** Progress goes to standard error, so that the tables can be kept alone. */
export function say(what: string): void {
  console.error(`[${Math.round(performance.now() / 1000)} s] ${what}`)
}
