import type { MixData } from './mix-data.ts'

/** Reads of one kind. */
export interface ReadKind {
  readonly name: string
  /** Limit of the CPU time of a read, in microseconds. */
  readonly max?: number
  /** Paths in the API. */
  paths(data: MixData): readonly string[]
}

const ISSUES_READ = 300
const TIMELINES_READ = 40
const PAGES = 10

/** Requests for the issues of the tracker. */
export const ISSUE_KINDS: readonly ReadKind[] = [
  { name: 'an issue', max: 150, paths: (data) => issuesOf(data, ISSUES_READ) },
  { name: 'comments of an issue', max: 170, paths: (data) => issuesOf(data, ISSUES_READ, '/comments') },
  { name: 'timeline of an issue', max: 500, paths: (data) => issuesOf(data, TIMELINES_READ, '/timeline') },
  {
    name: 'page of 50 issues',
    max: 600,
    paths: ({ tracker }) => ['', '&state=all'].flatMap((more) => pagesOf(`${tracker}/issues?limit=50${more}`)),
  },
  {
    name: 'page of 50 issues by label',
    max: 600,
    paths: ({ tracker, labels }) => labels.map((label) => `${tracker}/issues?limit=50&labels=${label}`),
  },
]

/** About 900 addresses: what people and their tools read on a working day. */
export const READ_KINDS: readonly ReadKind[] = [
  ...ISSUE_KINDS,
  { name: 'search over all issues', max: 600, paths: () => pagesOf('/repos/issues/search?limit=50') },
  { name: 'a repository', max: 120, paths: ({ repos }) => repos },
  { name: 'a file', max: 180, paths: ({ repos }) => repos.map((repo) => `${repo}/contents/README.md`) },
  { name: 'ten commits', max: 200, paths: ({ repos }) => repos.map((repo) => `${repo}/commits?limit=10`) },
  { name: 'a pull request', paths: ({ tracker, pulls }) => pulls.map((n) => `${tracker}/pulls/${n}`) },
  {
    name: 'page of 50 repositories',
    max: 350,
    paths: ({ owner }) => [`/users/${owner}/repos?limit=50`, '/user/repos?limit=50', '/repos/search?limit=50'],
  },
  {
    name: 'others',
    paths: ({ tracker }) => [
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

const issuesOf = ({ tracker, issues }: MixData, most: number, part = ''): string[] =>
  countTo(Math.min(issues, most)).map((n) => `${tracker}/issues/${n}${part}`)

const pagesOf = (list: string): string[] => countTo(PAGES).map((page) => `${list}&page=${page}`)

const countTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)
