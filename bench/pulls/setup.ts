import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gitLogin, requireApi, tokenHeaders } from '../api.ts'
import { gitUrl, say, type Run } from '../run.ts'
import { waitForMaintenance } from '../system/maintenance.ts'
import { makePullBranches } from './make-branches.ts'
import { HEADS, planPulls, type PullFill } from './plan.ts'

/** The last branches of `create` and of each style are left for the trials that need one more. */
export const COUNTS = { wide: 6, create: 12, merge: 7, busyBases: 20 } as const
export const LAST = {
  recheck: COUNTS.create - 1,
  countedCreate: COUNTS.create - 2,
  countedMerge: COUNTS.merge - 1,
} as const

/** Makes and pushes the branches, writes the pull requests, and waits until the server has packed what came. */
export async function setUpPulls(run: Run): Promise<void> {
  const { tempDir, large, own, options, seed, target } = run
  const { open, closed } = planPulls(options)
  say(`making ${open} open and ${closed} closed pull requests`)
  const branches = await makePullBranches(tempDir, large, { ...COUNTS, topic: open })
  await tempDir.run('git', ['push', '--quiet', gitUrl(run, seed.large), 'refs/heads/*:refs/heads/*'], {
    cwd: large.path,
    env: gitLogin(target),
  })
  const plan: PullFill = {
    owner: target.login,
    repo: seed.large,
    base: (await tempDir.read('git', ['rev-parse', 'main'], { cwd: large.path })).trim(),
    open: branches.filter(({ branch }) => branch.startsWith(`${HEADS.topic}-`)),
    closed,
    merges: await listMerges(run),
  }
  const file = join(tempDir.dir, 'pulls.json')
  writeFileSync(file, JSON.stringify(plan))
  const script = fileURLToPath(new URL('./fill-pulls.ts', import.meta.url))
  await tempDir.run(process.execPath, [script, own!.dataDir, file], {
    env: { INGOT_DATABASE_URL: own!.databaseUrl },
  })
  await waitForMaintenance(run)
}

async function listMerges({ tempDir, large }: Run): Promise<PullFill['merges']> {
  const lines = await tempDir.read(
    'git',
    ['rev-list', '--first-parent', '--min-parents=2', '--max-parents=2', '--max-count=2000', '--parents', 'main'],
    { cwd: large.path },
  )
  // NOTE: the first parent is near enough to the merge base.
  return lines
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([oid, mergeBase, head]) => ({ oid: oid!, head: head!, mergeBase: mergeBase! }))
}

export const pathOf = ({ target, seed }: Run): string => `/repos/${target.login}/${seed.large}`

export interface MadePull {
  readonly number: number
  readonly mergeable: boolean
}

export const createPull = (run: Run, head: string, base = 'main'): Promise<MadePull> =>
  requireApi<MadePull>(run.target.url, {
    method: 'POST',
    path: `${pathOf(run)}/pulls`,
    headers: tokenHeaders(run.target),
    body: { head, base, title: head },
  })
