import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Any, Response } from '../../harness/client.ts'
import { addCleanupRule, addPackageVersion, addUpstream } from '../../harness/packages.ts'
import type { Person } from '../../harness/world.ts'

type App = Parameters<typeof addPackageVersion>[0]

/** The id of the blob of `f<i>.txt`. */
export const blobId = (i: number): string =>
  createHash('sha1')
    .update(`blob ${String(i).length}\0${i}`)
    .digest('hex')

async function succeeded(answer: Promise<Response<Any>>): Promise<Response<Any>> {
  const { status, text } = await answer
  expect(status, text).toBeLessThan(300)
  return answer
}

const LEVELS: readonly (readonly [at: string, issues: string])[] = [
  ['/repos/alice/main', '/repos/alice/main'],
  ['/orgs/acme', '/repos/acme/shared'],
  ['/user', '/repos/alice/main'],
]
/** The first project of each level, and its first column. */
const projects = new Map<string, { readonly id: string; readonly column_id: string }>()

/** Projects of each level, with columns and an issue in one of them. */
export async function growProjects({ client }: Person, i: number): Promise<void> {
  for (const [at, repo] of LEVELS) {
    const { id } = (await succeeded(client.post(`${at}/projects`, { title: `p${i}` }))).json
    const first = projects.get(at)?.id ?? String(id)
    const column = (await succeeded(client.post(`${at}/projects/${first}/columns`, { title: `c${i}` }))).json.id
    const columnId = projects.get(at)?.column_id ?? String(column)
    projects.set(at, { id: first, column_id: columnId })
    const [issue] = (await succeeded(client.get(`${repo}/issues?type=issues&limit=1`))).json
    await succeeded(client.post(`${at}/projects/${first}/columns/${columnId}/issues/${issue.id}`))
  }
}

export const projectPlace = (path: string): Record<string, string> | undefined =>
  path.includes('/projects/')
    ? projects.get(path.startsWith('/repos') ? '/repos/alice/main' : path.startsWith('/orgs') ? '/orgs/acme' : '/user')
    : undefined

/** Packages, versions of one of them, and files of one of these. */
export async function growPackages(app: App, [user, org]: readonly [number, number], i: number): Promise<void> {
  const made = { ownerId: user, creatorId: user }
  await addCleanupRule(app, user, ['npm', 'cargo', 'composer', 'helm'][i]!)
  await addUpstream(app, user, ['npm', 'cargo', 'go', 'maven'][i]!)
  await addPackageVersion(app, { ...made, name: `package${i}`, version: '1' })
  await addPackageVersion(app, { ...made, name: 'tool', version: `${i}` })
  await addPackageVersion(app, { ...made, ownerId: org, name: `package${i}`, version: '1' })
  const files = Array.from({ length: i + 1 }, (_, n) => `file${n}`)
  await addPackageVersion(app, { ...made, name: `filed${i}`, version: '1', files })
}

/** Lists that do not grow with the world, and why. */
export const NOT_GROWING: ReadonlySet<string> = new Set([
  // Constants of the server and files of one commit.
  'adminCronList',
  'listGitignoresTemplates',
  'listLabelTemplates',
  'getLabelTemplateInfo',
  'listLicenseTemplates',
  'repoGetIssueTemplates',
  'repoGetIssueTemplates_1',
  'repoGetLicenses',
  // Indexed by jobs, which do not run here.
  'searchCode',
  'repoSearchCode',
  // All of this happens within one span of the heatmap; folders on disk.
  'userGetHeatmapData',
  'adminUnadoptedList',
  // One at most.
  'userGetStopWatches',
  // More entries than one page from the start.
  'adminListAuditEntries',
])
