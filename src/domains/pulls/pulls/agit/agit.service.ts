import { repoUrls } from '../../../../core/access/repo-urls.ts'
import { branchRef } from '../../../../core/git/index.ts'
import { conflict } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { PAGE_LENGTH } from '../../../../core/http/body/limits.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { type Issue, issueChanges, issueQueries, issueRules } from '../../../issues/index.ts'
import type { AgitProposals, PreparedProposal, Proposal } from '../../../code/index.ts'
import { type Repo, repoQueries, accessQueries } from '../../../repositories/index.ts'
import { blockQueries } from '../../../accounts/index.ts'
import { syncMoved } from '../lifecycle/sync-branch.ts'
import { insertPullRequest, type InsertDeps } from '../creation/insert-pull.ts'
import type { EditPullDeps } from '../edits/edit-pull.ts'
import { syncHead, listPushedCommits, recordPushEntry } from '../lifecycle/move-head.ts'
import { updateMergeRef, checkMerge } from '../mergeability/merge-ref.ts'
import { pullHeadRef } from '../pull.policy.ts'
import { findOpenDuplicate, type Pull } from '../records/pull.store.ts'

export interface AgitDeps extends EditPullDeps, InsertDeps {
  readonly site: Site
}

/**
 * Pull requests that are created and updated by a push alone
 * (behaviour/pull-requests#keywords-templates-agit-deletion).
 */
export function createAgitProposals(deps: AgitDeps): AgitProposals {
  const { read } = deps.database
  const find = ({ repo, base, head }: Pick<Proposal, 'repo' | 'base' | 'head'>) =>
    findOpenDuplicate(read, {
      isAgit: true,
      headRepoId: repo.id,
      headBranch: head,
      baseRepoId: repo.id,
      baseBranch: base,
    })
  return {
    async findOpen(name) {
      const found = await find(name)
      return found && { ref: pullHeadRef(found.number), oid: found.pull.headOid }
    },
    async prepare(proposal) {
      await requireMayPropose(deps, proposal)
      const found = await find(proposal)
      return found === undefined ? prepareNew(deps, proposal) : prepareUpdate(deps, proposal, found)
    },
    async findPullUrl(repo, branch) {
      const base = repo.forkId === undefined ? repo : await repoQueries.findById(read, repo.forkId)
      if (base === undefined) return undefined
      const target = { isAgit: false, baseRepoId: base.id, baseBranch: base.defaultBranch }
      const found = await findOpenDuplicate(read, { headRepoId: repo.id, headBranch: branch, ...target })
      return found && `${repoUrls(base, deps.site).html}/pulls/${found.number}`
    },
  }
}

/** Throws Forbidden for an account that the owner blocks, before any ref moves. */
async function requireMayPropose(
  { database: { read } }: AgitDeps,
  { repo, viewer: { account } }: Proposal,
): Promise<void> {
  if (!account.isAdmin) await blockQueries.requireUnblocked(read, account.id, [repo.ownerId])
}

/**
 * NOTE: the ref needs a number before its objects are in the repository, and the rows need the objects. A push that
 * fails in between leaves a number unused.
 */
async function prepareNew(deps: AgitDeps, proposal: Proposal): Promise<PreparedProposal> {
  const number = await deps.database.transaction((tx) => issueQueries.allocateNumber(tx, proposal.repo.id))
  const ref = pullHeadRef(number)
  return {
    ref,
    oid: undefined,
    async complete() {
      try {
        await storeProposal(deps, proposal, number)
      } catch (error) {
        const { refs, zeroOid } = deps.git.open(proposal.repo)
        await refs.update([{ ref, old: proposal.newOid, new: zeroOid }])
        throw error
      }
      return addressLines(deps, proposal.repo, number, 'Visit the new pull request:')
    },
  }
}

async function storeProposal(deps: AgitDeps, proposal: Proposal, number: number): Promise<void> {
  const { repo, base, head, newOid, viewer, title = '', description = '' } = proposal
  const git = deps.git.open(repo)
  const baseOid = (await git.refs.snapshot()).get(branchRef(base))?.oid
  if (baseOid === undefined) throw conflict('the base branch was deleted during the push')
  const check = await checkMerge(git, baseOid, newOid)
  const commits = await listPushedCommits(git, newOid, [check.mergeBase])
  await deps.database.transaction((tx) =>
    insertPullRequest(tx, deps, viewer, {
      repo,
      base,
      head: { repoId: repo.id, branch: head, isAgit: true },
      check,
      title: issueRules.normalizeTitle(storable(title)) || head,
      body: storable(description),
      allowsMaintainerEdit: false,
      number,
      record: (change) => recordPushEntry(change, commits),
    }),
  )
  await syncMoved(deps, viewer, [{ repo, name: base, oid: baseOid }])
}

/** Commit messages can have any length, and bytes that PostgreSQL does not store. */
const storable = (text: string): string => text.slice(0, PAGE_LENGTH).replaceAll('\0', '')

async function prepareUpdate(
  deps: AgitDeps,
  proposal: Proposal,
  { pull, number }: { readonly pull: Pull; readonly number: number },
): Promise<PreparedProposal> {
  const { repo, newOid, viewer } = proposal
  const issue = await issueQueries.findById(deps.database.read, pull.issueId)
  // NOTE: a login can change its owner; topics belong to the former owner.
  if (issue?.authorId !== viewer.account.id) throw conflict('the topic belongs to another account')
  return {
    ref: pullHeadRef(number),
    oid: pull.headOid,
    async complete() {
      const location = { id: pull.id, repo, number }
      await syncHead(deps, viewer, location, () => Promise.resolve(newOid))
      await updateMergeRef(deps, location, { makes: false })
      await editTexts(deps, proposal, pull)
      return addressLines(deps, repo, number, 'Visit the existing pull request:')
    },
  }
}

/** Changes the title and the body as the push options request. */
async function editTexts(
  deps: AgitDeps,
  { repo, viewer, title, description }: Proposal,
  { issueId }: Pull,
): Promise<Issue | undefined> {
  if (title === undefined && description === undefined) return undefined
  const issue = await issueQueries.findById(deps.database.read, issueId)
  if (issue === undefined) throw errors.pullDeleted()
  const target = { repo, issue, access: await accessQueries.load(deps.database.read, viewer, repo) }
  const texts = { title: title && storable(title), body: description && storable(description) }
  const prepared = await issueChanges.prepareEdit(deps, viewer, target, texts)
  return issueChanges.changeLocked(deps, viewer, target, (change) => issueChanges.applyEdit(deps, change, prepared))
}

const addressLines = ({ site }: AgitDeps, repo: Repo, number: number, words: string): string[] => [
  '',
  words,
  `  ${repoUrls(repo, site).html}/pulls/${number}`,
  '',
]
