import { hasUnit } from '../../../core/access/units.ts'
import { isZeroOid } from '../../../core/git/index.ts'
import type { Repo } from '../../repositories/index.ts'
import type { AgitProposals } from './push-proposals.service.ts'
import type { RefChange } from './record-push.ts'

const BRANCH = 'refs/heads/'

interface HintDeps {
  readonly proposals?: Pick<AgitProposals, 'findPullUrl'> | undefined
  /** False returns no lines. */
  readonly printsPullUrls: boolean
  rootUrl(): string
}

/**
 * Lines with the address of the pull request of each pushed branch, or of the page that creates one
 * (behaviour/git-data-and-transport#push-rules).
 */
export async function pullHints(
  { proposals, printsPullUrls, rootUrl }: HintDeps,
  repo: Repo,
  changes: readonly RefChange[],
): Promise<string[]> {
  const lines: string[] = []
  if (!printsPullUrls || repo.isEmpty || !hasUnit(repo.units, 'repo.pulls')) return lines
  for (const { ref, newOid } of changes) {
    const branch = ref.slice(BRANCH.length)
    if (!ref.startsWith(BRANCH) || isZeroOid(newOid) || (branch === repo.defaultBranch && !repo.isFork)) continue
    const url = await proposals?.findPullUrl(repo, branch)
    const path = branch.split('/').map(encodeURIComponent).join('/')
    if (url !== undefined) lines.push('', 'Visit the existing pull request:', `  ${url}`, '')
    else
      lines.push(
        '',
        `Create a new pull request for '${branch}':`,
        `  ${rootUrl()}/${repo.fullName}/pulls/new/${path}`,
        '',
      )
  }
  return lines
}

/** The last lines of a push, which clients read as the number of refs that moved. */
export function processed(count: number): string[] {
  const noun = `${count} reference${count === 1 ? '' : 's'}`
  return [`. Processing ${noun}`, `Processed ${noun} in total`]
}
