import { type GitRepo, listFiles, MODE } from '../../git/index.ts'
import type { CountedFile } from './classify.ts'
import type { LanguageThread } from './language-thread.ts'

/** Bounds for one repository; what is beyond them is not counted, or counted by its name alone. */
const MAX_FILES = 200_000
const MAX_CONTENTS = 2_000
const MAX_CONTENT = 256 * 1024
const ENOUGH_CONTENT = 32 * 1024
const MAX_ATTRIBUTES = 50
const BATCH = 5_000
const DEADLINE_MS = 120_000

interface File extends CountedFile {
  readonly oid: string
}

/** Bytes of each language at a commit. Throws when that takes more than two minutes or too much memory. */
export async function countLanguages(
  thread: LanguageThread,
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
  return thread.use(AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]), async (ask) => {
    await ask({ kind: 'begin', attributes })
    let contents = 0
    for (let from = 0; from < files.length; from += BATCH) {
      const batch = files.slice(from, from + BATCH)
      const open = await ask<number[]>({ kind: 'names', files: batch.map(({ path, size }) => ({ path, size })) })
      for (const index of open) {
        const { path, size, oid } = batch[index]!
        const content =
          contents++ < MAX_CONTENTS && size <= MAX_CONTENT
            ? (await git.objects.blob(oid)).toString('utf8', 0, ENOUGH_CONTENT)
            : ''
        await ask({ kind: 'content', file: { path, size }, content })
      }
    }
    return ask({ kind: 'result' })
  })
}

async function readAttributes(git: GitRepo, files: readonly File[]): Promise<{ directory: string; text: string }[]> {
  const named = files
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
