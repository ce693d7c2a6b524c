import { getter, TRIPS, type Endpoint } from './endpoints.ts'
import type { Run } from './run.ts'

/** Reading the large repository; its size is what makes these slow. */
export function listLargeEndpoints(run: Run): Endpoint[] {
  return [...fileEndpoints(run), ...historyEndpoints(run)]
}

const p99Times = 10
const p50Limit = 5

function fileEndpoints({ target, seed, large }: Run): Endpoint[] {
  const get = getter(target)
  const repo = `/repos/${target.login}/${seed.large}`
  const one = { needs: 'large', roundTrips: TRIPS.one } as const
  return [
    { ...one, name: 'large: contents of a file', next: get(`${repo}/contents/${large.file}`), shareOfH: 0.08 },
    { ...one, name: 'large: raw file', next: get(`${repo}/raw/${large.file}`), shareOfH: 0.08 },
    { ...one, name: 'large: root directory, warm', next: get(`${repo}/contents`) },
    { ...one, name: 'large: wide directory, warm', next: get(`${repo}/contents/${large.wide}`) },
    { ...one, name: 'large: blame of a file, warm', next: get(`${repo}/blame/${large.file}`) },
    { ...one, name: 'large: tree, recursive', next: get(`${repo}/git/trees/main?recursive=1`) },
  ]
}

function historyEndpoints({ target, seed, large }: Run): Endpoint[] {
  const get = getter(target)
  const repo = `/repos/${target.login}/${seed.large}`
  const list = { needs: 'large', roundTrips: TRIPS.list } as const
  const commits = get(`${repo}/commits?limit=30`)
  const ofFile = get(`${repo}/commits?limit=30&path=${large.file}`)
  const compare = get(`${repo}/compare/${large.compared.base}...${large.compared.head}`)
  const alone = { needs: 'large', alone: true } as const
  return [
    { ...list, name: 'large: branches?limit=30', next: get(`${repo}/branches?limit=30`), shareOfH: 0.06 },
    { ...list, name: 'large: commits?limit=30', next: commits, shareOfH: 0.05 },
    { ...list, name: 'large: commits of a file', next: ofFile, p99Times },
    { ...list, name: 'large: compare, 50 commits', next: compare, p99Times },
    {
      ...alone,
      name: 'large: commits?limit=30, alone',
      next: commits,
      against: { command: 'git log', max: 1 },
    },
    {
      ...alone,
      name: 'large: commits of a file, alone',
      next: ofFile,
      p50Limit,
      against: { command: 'git log -- FILE', max: 2 },
    },
    {
      ...alone,
      name: 'large: compare, 50 commits, alone',
      next: compare,
      p50Limit,
      against: { command: 'git rev-list + diff', max: 2 },
    },
  ]
}
