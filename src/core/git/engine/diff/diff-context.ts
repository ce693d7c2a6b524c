import type { GitCommand } from '../command.ts'
import type { Memo } from '../memo.ts'
import type { ObjectFormat } from '../object/format.ts'
import type { Objects } from '../read/objects.ts'

/** The repository whose commits are compared. */
export interface DiffContext {
  readonly format: ObjectFormat
  readonly cacheKey: string
  readonly objects: Objects
  readonly command: GitCommand
  readonly memo: Memo
}
