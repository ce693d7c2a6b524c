import { performance } from 'node:perf_hooks'
import { callApi, requireApi, tokenHeaders } from '../api.ts'
import type { Figure, Trial } from '../figure.ts'
import { pushAll } from '../push-large.ts'
import type { Run } from '../run.ts'
import { waitForMaintenance } from '../system/maintenance.ts'

const DIRECTORIES = ['root', 'wide', 'deep'] as const
const LIMIT_MS = { packed: 300, pushed: 1_500, log: 50 } as const
const LOG_NAME = 'large: commits of a directory, first'
const NAMES = {
  packed: DIRECTORIES.map((directory) => `large: ${directory} directory, first`),
  pushed: DIRECTORIES.map((directory) => `large: ${directory} directory, first, right after the push`),
} as const

/** Directories with the last commit of each entry, and a log, asked for the first time after maintenance. */
export const coldDirectory: Trial = {
  names: [...NAMES.packed, LOG_NAME],
  needs: 'large',
  run: async (run) => [...(await askEach(run, run.seed.large, 'packed')), await askLog(run)],
}

/** The same in another repository that has just been pushed. */
export const coldAfterPush: Trial = {
  names: NAMES.pushed,
  needs: 'large',
  async run(run) {
    const { target, seed } = run
    const name = `${seed.prefix}-fresh`
    await requireApi(target.url, {
      method: 'POST',
      path: '/user/repos',
      headers: tokenHeaders(target),
      body: { name, default_branch: 'main' },
    })
    seed.made.push(name)
    await pushAll(run, name)
    const figures = await askEach(run, name, 'pushed')
    await waitForMaintenance(run)
    return figures
  },
}

async function askEach({ target, large }: Run, repo: string, state: keyof typeof NAMES): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [i, path] of ['', `/${large.wide}`, `/${large.deep}`].entries()) {
    const measured = await timed(target, `/repos/${target.login}/${repo}/contents${path}`)
    figures.push({ name: NAMES[state][i]!, measured, unit: 'ms', max: LIMIT_MS[state] })
  }
  return figures
}

/** Requests the log without the parts that git computes for each commit of the page. */
async function askLog({ target, seed, large }: Run): Promise<Figure> {
  const parts = 'stat=false&files=false&verification=false'
  const path = `/repos/${target.login}/${seed.large}/commits?limit=30&path=${large.wide}&${parts}`
  return { name: LOG_NAME, measured: await timed(target, path), unit: 'ms', max: LIMIT_MS.log }
}

/** Milliseconds; undefined when it failed. */
async function timed(target: Run['target'], path: string): Promise<number | undefined> {
  const begin = performance.now()
  const { status } = await callApi(target.url, { path, headers: tokenHeaders(target) })
  return status === 200 ? performance.now() - begin : undefined
}
