// Fills a data directory with the issues of `issueSize`, in a process of its own: `node bench/data/fill-issues.ts
// DATA_DIR SCALE`. Runs after fill-lists, whose users it takes.
import { DEFAULT_UNITS } from '../../src/core/access/repo-access.ts'
import type { CoreApp } from '../../src/app/modules.ts'
import { withCore } from '../../src/cli/with-core.ts'
import { loadConfig } from '../../src/core/config/index.ts'
import type { Database, Tx } from '../../src/core/db/database.ts'
import { asId, type LabelId, type MilestoneId, type RepoId, type UserId } from '../../src/core/platform/crypto/ids.ts'
import { insertAssignees } from '../../src/domains/issues/issues/records/issue-assignee.store.ts'
import { insertIssueLabels } from '../../src/domains/issues/issues/records/records.store.ts'
import { insertMentions } from '../../src/domains/issues/issues/records/issue-mention.store.ts'
import { insertIssue, type Issue, allocateIssueNumber } from '../../src/domains/issues/issues/records/issue.store.ts'
import { indexOwnTexts, indexText } from '../../src/domains/issues/issues/texts/issue-text.store.ts'
import { insertEntries } from '../../src/domains/issues/issues/timeline/timeline-entry.store.ts'
import { insertLabel } from '../../src/domains/issues/labels/label.store.ts'
import { insertMilestone } from '../../src/domains/issues/milestones/milestone.store.ts'
import { insertRepo } from '../../src/domains/repositories/repos/repo.store.ts'
import { recountWrong } from '../../src/domains/operations/upkeep/recount.ts'
import { findUserByName } from '../../src/domains/accounts/users/user.store.ts'
import { issueLabel, issueMilestone, issueRepo, issueSize, issueText, type IssueSize } from './issue-size.ts'
import { listUser } from './list-size.ts'

const [dataDir, scale] = process.argv.slice(2)
const BATCH = 500
const USERS = 20
const START = Date.UTC(2021, 0, 1)

interface Filled {
  readonly users: readonly UserId[]
  readonly repos: readonly RepoId[]
  readonly labels: readonly LabelId[]
  readonly milestones: readonly MilestoneId[]
}

async function fill({ database, git }: Pick<CoreApp, 'database' | 'git'>, size: IssueSize): Promise<void> {
  const users = await findUsers(database)
  const repos: RepoId[] = []
  const labels: LabelId[] = []
  const milestones: MilestoneId[] = []
  for (let i = 0; i < size.repos; i++) {
    await git.createRepo(storageOf(i), { objectFormat: 'sha1', defaultBranch: 'main' })
    repos.push(await database.transaction((tx) => addRepo(tx, i, users[0]!)))
  }
  await inBatches(database, size.labels, async (tx, i) => {
    const label = { name: issueLabel(i), color: 'aabbcc', description: '', is_exclusive: 0, archived_at: 0 } as const
    labels.push((await insertLabel(tx, { repoId: repos[0]! }, label, START)).id)
  })
  await inBatches(database, size.milestones, async (tx, i) => {
    const at = { due_at: START + i, created_at: START, updated_at: START }
    milestones.push(
      (await insertMilestone(tx, { repo_id: repos[0]!, title: issueMilestone(i), description: '', ...at })).id,
    )
  })
  const filled: Filled = { users, repos, labels, milestones }
  await inBatches(database, size.issues, (tx, i) => addIssue(tx, i, { ...filled, size }))
  await recountWrong(database)
}

async function findUsers({ read }: Database): Promise<UserId[]> {
  const found = await Promise.all(Array.from({ length: USERS }, (_, i) => findUserByName(read, listUser(i))))
  return found.map((user) => user!.id)
}

async function inBatches(database: Database, count: number, add: (tx: Tx, i: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    await database.transaction(async (tx) => {
      for (let i = from; i < Math.min(count, from + BATCH); i++) await add(tx, i)
    })
  }
}

const storageOf = (i: number): string => `01/${String(i).padStart(32, '0')}`

function addRepo(tx: Tx, i: number, owner: UserId): Promise<RepoId> {
  const name = issueRepo(i)
  return insertRepo(tx, {
    owner_id: owner,
    name,
    lower_name: name,
    default_branch: 'main',
    wiki_branch: 'main',
    object_format: 'sha1',
    storage: storageOf(i),
    units: DEFAULT_UNITS.normal,
    is_private: i % 2 === 1 ? 1 : 0,
    created_at: START + i,
    updated_at: START + i,
  })
}

/** Issues of the first repository are spread over the others. */
async function addIssue(tx: Tx, i: number, filled: Filled & { readonly size: IssueSize }): Promise<void> {
  const { users, repos, labels, milestones, size } = filled
  const every = Math.max(1, Math.floor(size.issues / size.ofFirst))
  const isFirst = i % every === 0
  const repoId = isFirst ? repos[0]! : repos[1 + (i % (repos.length - 1))]!
  const at = START + i * 1000
  const user = (n: number): UserId => users[n % users.length]!
  const comments = isFirst ? Math.round(size.comments / size.ofFirst) : 0
  const issue = await insertIssue(tx, {
    repo_id: repoId,
    number: await allocateIssueNumber(tx, repoId),
    poster_id: user(i * 31),
    title: issueText(i, 6),
    body: issueText(i + 1, 20),
    milestone_id: isFirst ? milestones[Math.floor(i / every) % milestones.length]! : 0,
    is_closed: i % 3 === 0 ? 1 : 0,
    comments_count: comments,
    created_at: at,
    updated_at: at + ((i * 7919) % 1_000_003) * 1000,
  })
  await indexOwnTexts(tx, issue)
  if (!isFirst) return
  await insertIssueLabels(
    tx,
    issue,
    [i, i * 13].map((n) => ({ id: labels[Math.floor(n / every) % labels.length]! })),
  )
  await insertAssignees(tx, issue, [user(i)])
  await insertMentions(tx, issue, [user(i + 1)])
  await addComments(tx, issue, { count: comments, users, at })
}

interface Comments {
  readonly count: number
  readonly users: readonly UserId[]
  readonly at: number
}

async function addComments(tx: Tx, issue: Issue, { count, users, at }: Comments): Promise<void> {
  for (let i = 0; i < count; i++) {
    const origin = { issue, actorId: asId<UserId>(users[i % users.length]!), at: at + i }
    const body = issueText(issue.id * 7 + i, 12)
    const [entry] = await insertEntries(tx, origin, [{ kind: 'comment', body }])
    await indexText(tx, issue, entry!.id, body)
  }
}

await withCore(loadConfig({ environment: process.env, flags: { data_dir: dataDir } }), (core) =>
  fill(core, issueSize(Number(scale))),
)
