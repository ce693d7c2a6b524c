import { branchRef, isValidRefName, type RefSnapshot } from '../../../core/git/index.ts'
import { type RefChange, pushRules } from '../../code/index.ts'

type RefsByName = ReadonlyMap<string, string>

const MIRRORED_PREFIXES = ['refs/heads/', 'refs/tags/', 'refs/notes/']
const BRANCHES = branchRef('')

/**
 * Ref changes that make a repository equal to its remote; deletions come first. Without pruning, a ref that the remote
 * lacks is deleted only if its name conflicts with a ref of the remote (`a` and `a/b`).
 */
export function mirrorChanges(
  local: RefSnapshot,
  remote: RefsByName,
  { isPruning, zeroOid }: { readonly isPruning: boolean; readonly zeroOid: string },
): RefChange[] {
  const changes: RefChange[] = []
  const wanted = new Map([...remote].filter(([name]) => isValidRefName(name)))
  const folders = new Set([...wanted.keys()].flatMap((name) => parentsOf(name)))
  for (const prefix of MIRRORED_PREFIXES) {
    for (const { name, oid } of local.list(prefix)) {
      const isConflicting = folders.has(name) || parentsOf(name).some((parent) => wanted.has(parent))
      if (!wanted.has(name) && (isPruning || isConflicting)) changes.push({ ref: name, oldOid: oid, newOid: zeroOid })
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
  /** The branch of the remote's HEAD, at present and at the last sync. */
  readonly head: string | undefined
  readonly lastHead: string
  readonly remote: RefsByName
  /** Full names. */
  readonly deletedRefs: readonly string[]
}

/**
 * The new default branch of a mirror; undefined if it does not change. It changes when the remote's HEAD has changed
 * (so a choice of the owner is effective until then), and when the present one is deleted.
 */
export function nextDefaultBranch({
  current,
  head,
  lastHead,
  remote,
  deletedRefs,
}: DefaultBranchFacts): string | undefined {
  const exists = (branch: string): boolean => remote.has(branchRef(branch))
  if (head !== undefined && head !== lastHead && head !== current && exists(head)) return head
  if (!deletedRefs.includes(branchRef(current))) return undefined
  const branches = [...remote.keys()]
    .filter((name) => name.startsWith(BRANCHES))
    .map((name) => name.slice(BRANCHES.length))
  return pushRules.firstDefaultBranch(branches, head ?? current)
}
