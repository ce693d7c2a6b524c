import type { GitRepo } from '../../../core/git/index.ts'
import { createPauses } from '../../../core/platform/concurrency/pauses.ts'
import type { DetectLicense } from './detect-license.ts'

const NAMES = /^(?:un)?licen[cs]e(?:[.-][\w.-]*)?$|^copying(?:[.-][\w.-]*)?$/i
const MAX_FILE = 128 * 1024
const MAX_FILES = 10

/** SPDX ids of the licences in the root directory of a commit, sorted. */
export async function findLicenses(git: GitRepo, commit: string, detect: DetectLicense): Promise<string[]> {
  const root = await git.objects.tree((await git.objects.commit(commit)).tree)
  const files = root.filter(({ name, mode }) => mode.startsWith('100') && NAMES.test(name)).slice(0, MAX_FILES)
  const found = new Set<string>()
  const pause = createPauses()
  for (const { oid } of files) {
    await pause()
    const text = (await git.objects.info(oid)).size > MAX_FILE ? '' : (await git.objects.blob(oid)).toString('utf8')
    const id = detect(text)
    if (id !== undefined) found.add(id)
  }
  return [...found].toSorted()
}
