import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { callApi, requireApi, tokenHeaders } from '../api.ts'
import type { Trial } from '../figure.ts'
import { median } from '../load/load.ts'
import type { Run } from '../run.ts'

const NAMES = {
  first: 'fork of the large repository, first',
  again: 'fork of the large repository, again',
  disk: 'fork, disk',
  removal: 'fork, deletion',
} as const
const FORKS = 4
const MAX_MS = 300
const MAX_MB = 1

/** Forks into organizations, the first of which may cost more: what forks share is made then. */
export const forks: Trial = {
  names: Object.values(NAMES),
  needs: 'large',
  async run(run) {
    const { target, seed } = run
    const headers = tokenHeaders(target)
    const times: number[] = []
    const before = await diskUse(run)
    for (let i = 0; i < FORKS; i++) {
      const org = `${seed.prefix}-org-${i}`
      await requireApi(target.url, { method: 'POST', path: '/orgs', headers, body: { username: org } })
      seed.orgs.push(org)
      times.push(
        await timeOf(run, {
          method: 'POST',
          path: `/repos/${target.login}/${seed.large}/forks`,
          body: { organization: org },
        }),
      )
      await untilForked(run, org)
    }
    const after = await diskUse(run)
    const removals: number[] = []
    for (const org of seed.orgs)
      removals.push(await timeOf(run, { method: 'DELETE', path: `/repos/${org}/${seed.large}` }))
    return [
      { name: NAMES.first, measured: times[0], unit: 'ms', max: MAX_MS },
      { name: NAMES.again, measured: median(times.slice(1)), unit: 'ms', max: MAX_MS },
      {
        name: NAMES.disk,
        measured: before === undefined || after === undefined ? undefined : (after - before) / FORKS,
        unit: 'MB',
        max: MAX_MB,
      },
      { name: NAMES.removal, measured: median(removals), unit: 'ms' },
    ]
  },
}

async function timeOf({ target }: Run, request: { method: string; path: string; body?: unknown }): Promise<number> {
  const begin = performance.now()
  await requireApi(target.url, { ...request, headers: tokenHeaders(target) })
  return performance.now() - begin
}

const PATIENCE_MS = 60_000

/** A server may answer before the fork is there. */
async function untilForked({ target, seed }: Run, org: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  const path = `/repos/${org}/${seed.large}/branches/main`
  while ((await callApi(target.url, { path, headers: tokenHeaders(target) })).status !== 200) {
    if (performance.now() > end) throw new Error(`the fork in ${org} has no branch main after ${PATIENCE_MS} ms`)
    await sleep(100)
  }
}

/** MB that the git data take, files with several names counted once. */
async function diskUse({ tempDir, own }: Run): Promise<number | undefined> {
  if (own === undefined) return undefined
  return Number.parseInt(await tempDir.read('du', ['-sk', join(own.dataDir, 'git')]), 10) / 1024
}
