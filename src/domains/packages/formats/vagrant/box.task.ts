import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'

/** Texts of files of a box; `info.json` is empty if the box has none. */
export interface BoxFiles {
  readonly 'metadata.json': string
  readonly 'info.json': string
}

export interface Box {
  readonly description: string
}

const MAX_TEXT = 4096

/** Reads the metadata in a box; throws for an invalid one. Runs in a child process. */
export const createTask =
  () =>
  (files: BoxFiles): Box => {
    const metadata = parseJson(files['metadata.json'])
    if (textOf(members(metadata?.value)['provider']) === '')
      throw new Error('the metadata.json of the box names no provider')
    return { description: textOf(members(parseJson(files['info.json'])?.value)['description'], MAX_TEXT) }
  }
