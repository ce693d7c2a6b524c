// Writes the pull requests of a plan beside a running server, in a process of its own: `node bench/pulls/fill-pulls.ts
// DATA_DIR PLAN.json`. Through the API they would take an hour.
import { readFileSync } from 'node:fs'
import type { CoreApp } from '../../src/app/modules.ts'
import { withCore } from '../../src/cli/with-core.ts'
import { loadConfig } from '../../src/core/config/index.ts'
import type { Tx } from '../../src/core/db/database.ts'
import { insertIssue, type Issue, allocateIssueNumber } from '../../src/domains/issues/issues/records/issue.store.ts'
import { indexOwnTexts } from '../../src/domains/issues/issues/texts/issue-text.store.ts'
import { insertPull } from '../../src/domains/pulls/pulls/records/pull.store.ts'
import { findRepoByName, type Repo } from '../../src/domains/repositories/repos/repo.store.ts'
import { recountWrong } from '../../src/domains/operations/upkeep/recount.ts'
import { findUserByName } from '../../src/domains/accounts/users/user.store.ts'
import type { PullFill } from './plan.ts'

const [dataDir, planFile] = process.argv.slice(2)
const BATCH = 500
const REFS_MS = 600_000
const START = Date.UTC(2021, 0, 1)

async function fill({ database, git }: Pick<CoreApp, 'database' | 'git'>, plan: PullFill): Promise<void> {
  const owner = await findUserByName(database.read, plan.owner)
  const repo = owner && (await findRepoByName(database.read, owner, plan.repo))
  if (repo === undefined) throw new Error(`there is no repository ${plan.owner}/${plan.repo}`)
  const refs: string[] = []
  const all = plan.closed + plan.open.length
  for (let from = 0; from < all; from += BATCH)
    await database.transaction(async (tx) => {
      for (let i = from; i < Math.min(all, from + BATCH); i++) refs.push(await addPull(tx, { repo, plan, i }))
    })
  const { command } = git.open(repo)
  const options = { settings: [['core.fsync', 'none']], deadline: REFS_MS } as const
  await command.run(['update-ref', '--stdin'], { ...options, input: refs.join('') })
  await command.run(['pack-refs', '--all'], options)
  await recountWrong(database)
}

interface Adding {
  readonly repo: Repo
  readonly plan: PullFill
  readonly i: number
}

/** The closed ones come first; gives the line that creates the ref of the head. */
async function addPull(tx: Tx, { repo, plan, i }: Adding): Promise<string> {
  const open = plan.open[i - plan.closed]
  const merge = plan.merges[i % plan.merges.length]!
  const issue = await addIssue(tx, { repo, plan, i })
  const head = open?.oid ?? merge.head
  await insertPull(tx, {
    issue_id: issue.id,
    base_repo_id: repo.id,
    base_branch: repo.defaultBranch,
    head_repo_id: repo.id,
    head_branch: open?.branch ?? `merged-${i}`,
    head_oid: head,
    merge_base: (open ?? merge).mergeBase,
    mergeability: 'mergeable',
    checked_base_oid: plan.base,
    checked_head_oid: head,
    ...(open === undefined && {
      is_closed: 1,
      is_merged: 1,
      merged_oid: merge.oid,
      merge_style: 'merge',
      merged_by_id: repo.ownerId,
      merged_at: issue.updatedAt,
    }),
  })
  return `create refs/pull/${issue.number}/head ${head}\n`
}

async function addIssue(tx: Tx, { repo, plan, i }: Adding): Promise<Issue> {
  const isOpen = i >= plan.closed
  const at = START + i * 60_000
  const issue = await insertIssue(tx, {
    repo_id: repo.id,
    number: await allocateIssueNumber(tx, repo.id),
    is_pull: 1,
    is_closed: isOpen ? 0 : 1,
    poster_id: repo.ownerId,
    title: `Change ${i}`,
    body: `The text of change ${i} says why, in a line like this one.`,
    created_at: at,
    updated_at: at + 1000,
    closed_at: isOpen ? 0 : at + 1000,
  })
  await indexOwnTexts(tx, issue)
  return issue
}

await withCore(loadConfig({ environment: process.env, flags: { data_dir: dataDir } }), (core) =>
  fill(core, JSON.parse(readFileSync(planFile!, 'utf8')) as PullFill),
)
