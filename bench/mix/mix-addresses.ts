import type { MixData } from './mix-data.ts'

/** Reads of one kind. */
export interface ReadKind {
  readonly name: string
  /** Limit of the CPU time of a read, in microseconds. */
  readonly max?: number
  /** Paths in the API. */
  readonly paths: readonly string[]
}

const ISSUES_READ = 300
const TIMELINES_READ = 40
const PAGES = 10

/** About 900 addresses: what people and their tools read on a working day. */
export function readKindsOf({ tracker, repos, issues, labels, pulls }: MixData): ReadKind[] {
  const numbers = countTo(Math.min(issues, ISSUES_READ))
  const pages = countTo(PAGES)
  const [owner] = repos[0]!.slice('/repos/'.length).split('/')
  return [
    { name: 'an issue', max: 150, paths: numbers.map((n) => `${tracker}/issues/${n}`) },
    { name: 'comments of an issue', max: 170, paths: numbers.map((n) => `${tracker}/issues/${n}/comments`) },
    {
      name: 'timeline of an issue',
      max: 500,
      paths: numbers.slice(0, TIMELINES_READ).map((n) => `${tracker}/issues/${n}/timeline`),
    },
    {
      name: 'page of 50 issues',
      max: 600,
      paths: ['', '&state=all'].flatMap((more) =>
        pages.map((page) => `${tracker}/issues?limit=50&page=${page}${more}`),
      ),
    },
    {
      name: 'page of 50 issues by label',
      max: 600,
      paths: labels.map((label) => `${tracker}/issues?limit=50&labels=${label}`),
    },
    {
      name: 'search over all issues',
      max: 600,
      paths: pages.map((page) => `/repos/issues/search?limit=50&page=${page}`),
    },
    { name: 'a repository', max: 120, paths: repos },
    { name: 'a file', max: 180, paths: repos.map((repo) => `${repo}/contents/README.md`) },
    { name: 'ten commits', max: 200, paths: repos.map((repo) => `${repo}/commits?limit=10`) },
    { name: 'a pull request', paths: pulls.map((n) => `${tracker}/pulls/${n}`) },
    {
      name: 'page of 50 repositories',
      max: 350,
      paths: [`/users/${owner}/repos?limit=50`, '/user/repos?limit=50', '/repos/search?limit=50'],
    },
    {
      name: 'others',
      paths: [
        '/user',
        tracker,
        `${tracker}/labels`,
        `${tracker}/branches`,
        `${tracker}/pulls?limit=20`,
        `${tracker}/milestones`,
        '/notifications',
      ],
    },
  ]
}

const countTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)
