import type { IndexContext, ListedFile } from './upstream-format.ts'
import { findUpstreamFormat } from './upstream-formats.ts'

export interface IndexToRead {
  readonly type: string
  readonly text: string
  readonly context: IndexContext
  /** The name of the file that is wanted; the whole index is wanted without it. */
  readonly file?: string
}

export interface IndexAnswer {
  readonly text: string
  readonly file: ListedFile | undefined
}

/** Reads an index that an upstream sent. Runs in a child process; throws for an invalid index. */
export const createTask =
  () =>
  ({ type, text, context, file }: IndexToRead): IndexAnswer => {
    const index = findUpstreamFormat(type)!.read!(text, context)
    return file === undefined ? { text: index.text, file: undefined } : { text: '', file: index.files.get(file) }
  }
