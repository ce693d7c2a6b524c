import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { Commit, Git, GitRepo, Ref, RefSnapshot } from '../../../../core/git/index.ts'
import { errors } from '../../../errors.ts'
import { type Page, pageOf, type Paging } from '../../../../core/platform/paging.ts'
import type { CommitView, CommitViews } from '../../history/history.service.ts'
import type { Repo, RepoInView } from '../../../repositories/index.ts'
import { type BranchRights, loadBranchRights } from './branch-rights.ts'

const PREFIX = 'refs/heads/'
const TIP_PARTS = { stat: false, files: false, verification: true }

export interface BranchView {
  readonly name: string
  readonly tip: CommitView
}

interface BranchTip {
  readonly name: string
  readonly commit: Commit
}

export type Branches = ReturnType<typeof createBranches>

export function createBranches({ database, git, views }: { database: Database; git: Git; views: CommitViews }) {
  // NOTE: a snapshot is the same object until a ref changes, so branches are sorted once per change.
  const sorted = new WeakMap<RefSnapshot, Promise<readonly BranchTip[]>>()

  async function sortedTips(opened: GitRepo): Promise<readonly BranchTip[]> {
    const snapshot = await opened.refs.snapshot()
    const tips = sorted.get(snapshot) ?? sortTips(opened, snapshot.list(PREFIX))
    sorted.set(snapshot, tips)
    tips.catch(() => sorted.delete(snapshot))
    return tips
  }

  const load = async (opened: GitRepo, tips: readonly BranchTip[]): Promise<BranchView[]> => {
    const loaded = await views.load(
      opened,
      tips.map((tip) => tip.commit),
      TIP_PARTS,
    )
    return tips.map(({ name }, index) => ({ name, tip: loaded[index]! }))
  }

  return {
    /** The permissions of the viewer on each branch; one query for any number of branches. */
    rights: (viewer: Viewer, target: RepoInView): Promise<(branch: string) => Promise<BranchRights>> =>
      loadBranchRights(database, viewer, target),
    /**
     * The newest tip first, then by name (behaviour/git-data-and-transport#branches); an empty page for an empty
     * repository. Only branches whose name contains `part`, ignoring case.
     */
    async list(repo: Repo, part: string, paging: Paging): Promise<Page<BranchTip>> {
      const tips = await sortedTips(git.open(repo))
      const wanted = part.toLowerCase()
      return pageOf(wanted === '' ? tips : tips.filter(({ name }) => name.toLowerCase().includes(wanted)), paging)
    },
    /** The branches in the order of the tips. */
    views: (repo: Repo, tips: readonly BranchTip[]): Promise<BranchView[]> => load(git.open(repo), tips),
    /** Throws NotFound. */
    async get(repo: Repo, name: string): Promise<BranchView> {
      const opened = git.open(repo)
      const ref = (await opened.refs.snapshot()).get(PREFIX + name)
      if (ref === undefined) throw errors.branchNotFound(name)
      return (await load(opened, [{ name, commit: await opened.objects.commit(ref.oid) }]))[0]!
    },
  }
}

async function sortTips(git: GitRepo, refs: readonly Ref[]): Promise<readonly BranchTip[]> {
  const tips = await Promise.all(
    refs.map(async (ref) => ({ name: ref.name.slice(PREFIX.length), commit: await git.objects.commit(ref.oid) })),
  )
  return tips.toSorted((a, b) => b.commit.committer.time - a.commit.committer.time || (a.name < b.name ? -1 : 1))
}
