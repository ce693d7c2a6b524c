import { branchRef, isValidRefName, type RefSnapshot } from '../../git/index.ts'
import { firstDefaultBranch } from '../protections/index.ts'
import type { RefChange } from '../pushes/index.ts'

type RefsByName = ReadonlyMap<string, string>

const FOLLOWED = ['refs/heads/', 'refs/tags/', 'refs/notes/']
const BRANCHES = branchRef('')

/**
 * What must move so that a repository has the refs of its remote. Without pruning, refs that the remote does not have
 * stay, unless they stand in the way of one it has (`a` beside `a/b`).
 */
export function followedChanges(
  local: RefSnapshot,
  remote: RefsByName,
  { isPruning, zeroOid }: { readonly isPruning: boolean; readonly zeroOid: string },
): RefChange[] {
  const changes: RefChange[] = []
  const wanted = new Map([...remote].filter(([name]) => isValidRefName(name)))
  const folders = new Set([...wanted.keys()].flatMap((name) => parentsOf(name)))
  for (const prefix of FOLLOWED) {
    for (const { name, oid } of local.list(prefix)) {
      const inTheWay = folders.has(name) || parentsOf(name).some((parent) => wanted.has(parent))
      if (!wanted.has(name) && (isPruning || inTheWay)) changes.push({ ref: name, oldOid: oid, newOid: zeroOid })
    }
  }
  for (const [ref, newOid] of wanted) {
    const oldOid = local.get(ref)?.oid ?? zeroOid
    if (oldOid !== newOid) changes.push({ ref, oldOid, newOid })
  }
  return changes
}

const parentsOf = (name: string): string[] => {
  const parts = name.split('/')
  return parts.slice(1, -1).map((_, index) => parts.slice(0, index + 2).join('/'))
}

interface DefaultBranchFacts {
  readonly current: string
  /** What the remote's HEAD names now, and at the last sync. */
  readonly head: string | undefined
  readonly knownHead: string
  readonly remote: RefsByName
  /** Full names of refs that go. */
  readonly gone: readonly string[]
}

/**
 * The default branch a mirror gets, undefined when it keeps its own: it follows the remote's HEAD when that has moved,
 * so that a choice made here stays until then; and it never is a branch that has gone.
 */
export function nextDefaultBranch({ current, head, knownHead, remote, gone }: DefaultBranchFacts): string | undefined {
  const exists = (branch: string): boolean => remote.has(branchRef(branch))
  if (head !== undefined && head !== knownHead && head !== current && exists(head)) return head
  if (!gone.includes(branchRef(current))) return undefined
  const branches = [...remote.keys()]
    .filter((name) => name.startsWith(BRANCHES))
    .map((name) => name.slice(BRANCHES.length))
  return firstDefaultBranch(branches, head ?? current)
}
