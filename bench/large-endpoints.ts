import { getter, type Endpoint } from './endpoints.ts'
import type { Run } from './run.ts'

/** Reading the large repository; its size is what makes these hard. */
export function listLargeEndpoints({ target, seed, large }: Run): Endpoint[] {
  const get = getter(target)
  const repo = `/repos/${target.login}/${seed.large}`
  const on = { needs: 'large' } as const
  return [
    { ...on, name: 'large: contents of a file', next: get(`${repo}/contents/${large.file}`), shareOfH: 0.06 },
    { ...on, name: 'large: raw file', next: get(`${repo}/raw/${large.file}`), shareOfH: 0.06 },
    { ...on, name: 'large: root directory, warm', next: get(`${repo}/contents`), shareOfH: 0.01 },
    { ...on, name: 'large: commits?limit=30', next: get(`${repo}/commits?limit=30`), shareOfH: 0.015 },
    {
      ...on,
      name: 'large: commits?limit=30, alone',
      next: get(`${repo}/commits?limit=30`),
      alone: true,
      against: { command: 'git log', most: 1 },
    },
    {
      ...on,
      name: 'large: commits of a file',
      next: get(`${repo}/commits?limit=30&path=${large.file}`),
      alone: true,
      against: { command: 'git log -- FILE', most: 2 },
    },
    { ...on, name: 'large: branches?limit=30', next: get(`${repo}/branches?limit=30`), shareOfH: 0.015 },
    { ...on, name: 'large: tree, recursive', next: get(`${repo}/git/trees/main?recursive=1`), shareOfH: 0.005 },
    {
      ...on,
      name: 'large: compare, 50 commits',
      next: get(`${repo}/compare/${large.compared.base}...${large.compared.head}`),
      alone: true,
      against: { command: 'git rev-list + diff', most: 2 },
    },
  ]
}
