import { LRUCache } from 'lru-cache'
import type { GitRepo } from '../../../../core/git/index.ts'
import { unavailable } from '../../../../core/platform/errors.ts'
import { TaskError, type TaskKind, type TaskPool } from '../../../../core/platform/isolation/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { IssueFile, IssueFileContent } from './issue-files.task.ts'

/** Where a file is read, and whose work that is. */
export interface Reading {
  readonly git: GitRepo
  readonly repo: Repo
  readonly caller: string
}

/** Bytes of the files whose content is cached. */
export const MAX_CACHED = 8 * 1024 * 1024
/** Milliseconds until a file that took too long is tried again: the machine may have been busy. */
export const RETRY_MS = 600_000
/** Bytes of an entry of a cache beside the content. */
export const ENTRY_SIZE = 256

const TASK: TaskKind<IssueFile, IssueFileContent> = {
  url: new URL('issue-files.task.ts', import.meta.url).href,
  deadline: 2_000,
}

/** Reads a file with the id of its blob; its text is filled in. Undefined when it is invalid or takes too long. */
type IssueFileReader = (reading: Reading, oid: string, file: IssueFile) => Promise<IssueFileContent>

/** Reads each file once, however often it is asked for. */
export function createIssueFileReader(taskPool: TaskPool): IssueFileReader {
  // NOTE: never stale, in any process: the content of a blob never changes.
  const contents = new LRUCache<string, { readonly content: IssueFileContent }>({ maxSize: MAX_CACHED })
  const running = new Map<string, Promise<IssueFileContent>>()

  return ({ git, repo, caller }, oid, file) => {
    const key = `${repo.storage}:${oid}:${file.kind === 'template' ? `${file.folder}/${file.name}` : ''}`
    const found = contents.get(key)
    if (found) return Promise.resolve(found.content)
    const begin = async (): Promise<IssueFileContent> => {
      const text = (await git.objects.blob(oid)).toString('utf8')
      const content = await parse(taskPool, { ...file, text }, caller)
      contents.set(key, { content }, { size: text.length + ENTRY_SIZE, ttl: content === undefined ? RETRY_MS : 0 })
      return content
    }
    const reading = running.get(key) ?? begin().finally(() => running.delete(key))
    running.set(key, reading)
    return reading
  }
}

async function parse(taskPool: TaskPool, file: IssueFile, caller: string): Promise<IssueFileContent> {
  try {
    return await taskPool.run(TASK, file, caller)
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    if (error.reason === 'ended' || error.reason === 'closing')
      throw unavailable('the issue templates could not be read, try again', error)
    return undefined
  }
}
