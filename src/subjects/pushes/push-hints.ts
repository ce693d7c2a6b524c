import { hasUnit } from '../../access/units.ts'
import { isZeroOid } from '../../git/index.ts'
import type { Repo } from '../repos/index.ts'
import type { AgitProposals } from './agit.ts'
import type { RefChange } from './record-push.ts'

const BRANCH = 'refs/heads/'

export interface HintDeps {
  readonly proposals?: Pick<AgitProposals, 'findPullUrl'> | undefined
  /** False keeps silent. */
  readonly givesHints: boolean
  rootUrl(): string
}

/** Where the pull request of each pushed branch is or can be made (reference git-data-and-transport §13). */
export async function pullHints(
  { proposals, givesHints, rootUrl }: HintDeps,
  repo: Repo,
  changes: readonly RefChange[],
): Promise<string[]> {
  const lines: string[] = []
  if (!givesHints || repo.isEmpty || !hasUnit(repo.units, 'repo.pulls')) return lines
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

export function processed(count: number): string[] {
  const noun = `${count} reference${count === 1 ? '' : 's'}`
  return [`. Processing ${noun}`, `Processed ${noun} in total`]
}
