import type { Stock } from './fill.ts'
import type { LargeRepo } from './large-repo.ts'
import type { Options } from './options.ts'
import type { Workshop } from './processes.ts'
import type { OwnServer, Target } from './target.ts'
import type { ListSize } from './list-size.ts'

/** Where a run measures: a server, what lies on it, and what is at hand beside it. */
export interface Place {
  readonly workshop: Workshop
  readonly options: Options
  /** Of the bare server. */
  readonly bareUrl: string
  readonly target: Target
  readonly stock: Stock
  readonly large: LargeRepo
  /** The process, where the run started the server. */
  readonly own: OwnPlace | undefined
}

interface OwnPlace {
  readonly server: OwnServer
  readonly dataDir: string
  readonly lists: ListSize
  /** MB just after the first start. */
  readonly memoryIdle: number
}

/** Address of a repository of the run for git. */
export const gitUrl = ({ target }: Pick<Place, 'target'>, name: string): string =>
  `${target.url}/${target.login}/${name}.git`

/** Progress goes to standard error, so that the tables can be kept alone. */
export function say(what: string): void {
  console.error(`[${Math.round(performance.now() / 1000)} s] ${what}`)
}
