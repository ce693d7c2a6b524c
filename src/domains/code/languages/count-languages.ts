import { type GitRepo, listFiles, MODE } from '../../../core/git/index.ts'
import type { CountedFile } from './classify.ts'
import type { LanguageProcess } from './language-process.ts'

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
