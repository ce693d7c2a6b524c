import { repoUrls } from '../../../../core/access/repo-urls.ts'
import { hasUnit } from '../../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { type GitRepo, type Identity, type MergePlan, branchRef, isGitError } from '../../../../core/git/index.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import type { PullReviews } from '../../pulls/pull-views.ts'
import { issueChanges } from '../../../issues/index.ts'
import { type CommitSigner, repoQueries, gitWriter } from '../../../repositories/index.ts'
import { type User, commitIdentity, userQueries } from '../../../accounts/index.ts'
import type { MergeRequest, MergeAction } from '../merge-request.ts'
import {
  defaultTitle,
  fillTemplate,
  joinMessage,
  type MessageFacts,
  type MessageParts,
  splitMessage,
  templateVariables,
} from '../merges.policy.ts'

const FOLDERS = ['.gitea/default_merge_message', '.forgejo/default_merge_message']
const MAX_TEMPLATE = 64 * 1024

/** The template of a style in the default branch; undefined when it is missing or not a small file. */
async function readMessageTemplate(
  git: GitRepo,
  defaultBranch: string,
  action: MergeAction,
): Promise<string | undefined> {
  const tip = (await git.refs.snapshot()).get(branchRef(defaultBranch))?.oid
  if (tip === undefined) return undefined
  const { tree } = await git.objects.commit(tip)
  for (const folder of FOLDERS) {
    const oid = await findBlob(git, tree, `${folder}/${action.toUpperCase()}_TEMPLATE.md`)
    const content = oid && (await git.objects.blob(oid, MAX_TEMPLATE).catch(noneIfGitRefuses))
    if (content) return content.toString('utf8')
  }
  return undefined
}

async function findBlob(git: GitRepo, root: string, path: string): Promise<string | undefined> {
  let oid = root
  const parts = path.split('/')
  for (const [index, name] of parts.entries()) {
    const entry = (await git.objects.tree(oid)).find((candidate) => candidate.name === name)
    if (entry?.type !== (index === parts.length - 1 ? 'blob' : 'tree')) return undefined
    oid = entry.oid
  }
  return oid
}

function noneIfGitRefuses(error: unknown): undefined {
  if (!isGitError(error)) throw error
}

export interface CommitDeps {
  readonly read: Db
  readonly site: Site
  readonly reviews: PullReviews
  readonly signer: CommitSigner | undefined
  readonly noReplyDomain: string
  /** Squashed commits name the author in trailers when another account merges. */
  readonly addsTrailers: boolean
}

export interface Merging {
  readonly actor: SignedIn
  readonly target: PullInView
  readonly request: Pick<MergeRequest, 'action' | 'title' | 'message'>
  readonly git: GitRepo
  /** Epoch milliseconds. */
  readonly at: number
}

export interface MergeCommitPlan extends Pick<MergePlan, 'commit' | 'replaying'> {
  /** The message of the merge or squash commit; a style that replays commits keeps their messages. */
  readonly message: string
}

/**
 * The identities and messages of the commits of a merge (behaviour/pull-requests#merge-messages). Loads everything
 * before the merge starts.
 */
export async function planMergeCommit(deps: CommitDeps, merging: Merging): Promise<MergeCommitPlan> {
  const { actor, target, request, git, at } = merging
  const { signer } = deps
  const [merger, creator] = await Promise.all([
    userQueries.findById(deps.read, actor.account.id),
    userQueries.findById(deps.read, target.issue.authorId),
  ])
  const committer = committerOf(deps, merger, at)
  const isSquash = request.action === 'squash'
  const author = isSquash && creator ? await authorIdentity(deps, creator, merging) : committer
  const trailers = isSquash && deps.addsTrailers ? coAuthors(author, committer) : []
  const template = await readMessageTemplate(git, target.repo.defaultBranch, request.action)
  const facts = await loadMessageFacts(deps, target, creator)
  const message = joinMessage(messageParts(request, facts, template), trailers)
  const server = signer && { ...committer, name: signer.name, email: signer.email }
  return {
    message,
    commit: (writer, made) => gitWriter.writeCommit(writer, { ...made, author, committer, message }, signer),
    replaying: {
      committer: server ?? committer,
      ...(signer && { sign: (payload: Buffer) => signer.sign(payload) }),
      ...(request.action === 'rebase' && template !== undefined && { reword: rewording(template, facts) }),
    },
  }
}

function messageParts(
  { action, title, message }: Merging['request'],
  facts: MessageFacts,
  template: string | undefined,
) {
  const body = message.trim()
  if (title.trim() !== '') return { title: title.trim(), body }
  const parts: MessageParts =
    template === undefined || action === 'rebase'
      ? { title: defaultTitle(action, facts), body: '' }
      : splitMessage(fillTemplate(template, templateVariables(facts)))
  return { title: parts.title || defaultTitle(action, facts), body: body || parts.body }
}

/** Builds the message of the last replayed commit from the template, which can contain that commit's own message. */
const rewording =
  (template: string, facts: MessageFacts) =>
  (message: string): string => {
    const { title, body } = splitMessage(message)
    const variables = new Map([...templateVariables(facts), ['CommitTitle', title], ['CommitBody', body]] as const)
    return joinMessage(splitMessage(fillTemplate(template, variables)))
  }

const epochSeconds = (at: number): number => Math.floor(at / 1000)

/** The identity of an account in commits that the server writes. */
export function committerOf(
  { noReplyDomain }: Pick<CommitDeps, 'noReplyDomain'>,
  user: User | undefined,
  at: number,
): Identity {
  const person = user ? commitIdentity(user, noReplyDomain) : { name: 'Ghost', email: `ghost@${noReplyDomain}` }
  return { ...person, time: epochSeconds(at), offset: 0 }
}

const MAX_SEARCHED = 50

/** The author's identity in their own commits of the pull request, otherwise the one of their account. */
async function authorIdentity(deps: CommitDeps, author: User, { target, git, at }: Merging): Promise<Identity> {
  const { headOid, mergeBase } = target.pull
  const emails = await userQueries.listEmails(deps.read, author.id)
  const own = new Set(emails.filter((email) => email.isActivated).map((email) => email.email.toLowerCase()))
  const commits = await git.history.list({ tip: headOid, not: [mergeBase] }, { skip: 0, limit: MAX_SEARCHED })
  const written = commits.find(({ author }) => own.has(author.email.toLowerCase()))?.author
  const { name, email } = written ?? committerOf(deps, author, at)
  return { name, email, time: epochSeconds(at), offset: 0 }
}

function coAuthors(author: Identity, committer: Identity): string[] {
  if (author.name === committer.name && author.email === committer.email) return []
  const who = `${author.name} <${author.email}>`
  return [`Co-authored-by: ${who}`, `Co-committed-by: ${who}`]
}

async function loadMessageFacts(
  { read, site, reviews, noReplyDomain }: CommitDeps,
  { repo, issue, pull }: PullInView,
  author: User | undefined,
): Promise<MessageFacts> {
  const [head, closes, { approvers }] = await Promise.all([
    pull.headRepoId === undefined ? undefined : repoQueries.findById(read, pull.headRepoId),
    issueChanges.listClosedByMerge(read, { id: issue.id, repoId: repo.id }),
    reviews.get().state(pull.id, { ignoresStale: false }),
  ])
  return {
    number: issue.number,
    title: issue.title,
    body: issue.body,
    authorName: author?.name ?? 'Ghost',
    baseOwner: repo.owner.name,
    baseRepo: repo.name,
    baseBranch: pull.baseBranch,
    head: head && { owner: head.owner.name, repo: head.name },
    headBranch: pull.headBranch,
    isFork: pull.headRepoId !== repo.id,
    hasExternalIssues: hasUnit(repo.units, 'repo.ext_issues'),
    closes,
    url: `${repoUrls(repo, site).html}/pulls/${issue.number}`,
    approvers: approvers.map((user) => {
      const { name, email } = commitIdentity(user, noReplyDomain)
      return `${name} <${email}>`
    }),
  }
}
