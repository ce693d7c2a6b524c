import { type GitRepo, listFiles, MODE } from '../../../core/git/index.ts'
import type { AttributesFile, CountedFile } from './classify.ts'
import { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import { type ChildLimits, TaskChild, type TaskModule } from '../../../core/platform/isolation/index.ts'
import type { LanguageQuestion } from './languages.task.ts'
import { RULES_CACHE } from './rules.ts'

const IDLE_MS = 5_000
const ANSWER_DEADLINE_MS = 120_000
const LIMITS: ChildLimits = {
  heap: 256,
  memory: 512 * 1024 * 1024,
  processorTime: 600,
  niceness: 10,
  writable: [RULES_CACHE],
}
const TASK: TaskModule<LanguageQuestion, unknown> = { url: new URL('languages.task.ts', import.meta.url).href }

/** Sends one request to the process and returns its result. */
export type Ask = <T>(question: LanguageQuestion) => Promise<T>

/**
 * A child process with the rules of the linguist library. It starts with the first repository, counts one repository at
 * a time and ends when it is idle. NOTE: not one of the pool, because it has state between requests.
 */
export class LanguageProcess {
  #child: TaskChild | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #lock = new KeyedMutex()

  /** Runs `work` with exclusive use of the process. The process ends when `work` fails or `signal` aborts. */
  use<T>(signal: AbortSignal, work: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#lock.run('process', async () => {
      clearTimeout(this.#idle)
      if (this.#child?.isUsable !== true) this.#child = new TaskChild(LIMITS)
      const child = this.#child
      try {
        const result = await work(
          (question) => child.run(TASK, question, { deadline: ANSWER_DEADLINE_MS, signal }) as Promise<never>,
        )
        this.#idle = setTimeout(() => this.close(), IDLE_MS).unref()
        return result
      } catch (error) {
        this.close()
        throw error
      }
    })
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#child?.end()
    this.#child = undefined
  }
}

/** Limits for one repository. Files beyond them are not counted, or only by name. */
const MAX_FILES = 200_000
const MAX_CONTENTS = 2_000
const MAX_CONTENT = 256 * 1024
const MAX_CLASSIFIED_BYTES = 32 * 1024
const MAX_ATTRIBUTES = 50
const BATCH_SIZE = 5_000
const DEADLINE_MS = 120_000

interface File extends CountedFile {
  readonly oid: string
}

/** Bytes of each language at a commit. Throws when counting takes more than two minutes or too much memory. */
export async function countLanguages(
  languageProcess: LanguageProcess,
  git: GitRepo,
  commit: string,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const files: File[] = []
  for await (const { mode, oid, size, path } of listFiles(git.command, commit, signal)) {
    if (mode !== MODE.symlink) files.push({ path, size, oid })
    if (files.length === MAX_FILES) break
  }
  if (files.length === 0) return {}
  const attributes = await readAttributes(git, files)
  return languageProcess.use(AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]), async (ask) => {
    await ask({ kind: 'begin', attributes })
    let contents = 0
    for (let from = 0; from < files.length; from += BATCH_SIZE) {
      const batch = files.slice(from, from + BATCH_SIZE)
      const open = await ask<number[]>({ kind: 'names', files: batch.map(({ path, size }) => ({ path, size })) })
      for (const index of open) {
        const { path, size, oid } = batch[index]!
        const content =
          contents++ < MAX_CONTENTS && size <= MAX_CONTENT
            ? (await git.objects.blob(oid)).toString('utf8', 0, MAX_CLASSIFIED_BYTES)
            : ''
        await ask({ kind: 'content', file: { path, size }, content })
      }
    }
    return ask({ kind: 'result' })
  })
}

/** The `.gitattributes` files among the files of a commit. */
export async function readAttributes(git: GitRepo, files: Iterable<File>): Promise<AttributesFile[]> {
  const named = [...files]
    .filter(({ path, size }) => /(?:^|\/)\.gitattributes$/.test(path) && size <= MAX_CONTENT)
    .slice(0, MAX_ATTRIBUTES)
  const texts = []
  for (const { path, oid } of named)
    texts.push({
      directory: path.slice(0, -'.gitattributes'.length),
      text: (await git.objects.blob(oid)).toString('utf8'),
    })
  return texts
}
