import type {
  SourceComment,
  SourceIssue,
  SourceLabel,
  SourceMilestone,
  SourceUser,
} from '../../src/domains/migration/imports/source.ts'

export const DAY = 86_400_000
const T0 = Date.UTC(2020, 0, 1)
export const at = (days: number): number => T0 + days * DAY
export const wire = (days: number): string => `${new Date(at(days)).toISOString().slice(0, 19)}Z`

export const person = (id: number, login: string): SourceUser => ({ id, login, email: '' })
export const THEA = person(7, 'thea')
export const TOM = person(8, 'tom')
export const GHOST = person(-1, 'Ghost')

export const issue = (number: number, more: Partial<SourceIssue> = {}): SourceIssue => ({
  number,
  author: THEA,
  title: `Issue ${number}`,
  body: '',
  isClosed: false,
  isLocked: false,
  createdAt: at(number),
  updatedAt: at(number),
  closedAt: undefined,
  labels: [],
  milestone: undefined,
  assignees: [],
  dueAt: undefined,
  ref: '',
  pinOrder: 0,
  timeEstimate: 0,
  reactions: [],
  assets: [],
  ...more,
})

export const comment = (id: number, of: number, more: Partial<SourceComment> = {}): SourceComment => ({
  id,
  issue: of,
  author: TOM,
  createdAt: at(id),
  updatedAt: at(id),
  body: `Comment ${id}`,
  reactions: [],
  assets: [],
  ...more,
})

export const label = (name: string, more: Partial<SourceLabel> = {}): SourceLabel => ({
  name,
  color: '00aabb',
  description: '',
  isExclusive: false,
  isArchived: false,
  ...more,
})

export const milestone = (key: string, more: Partial<SourceMilestone> = {}): SourceMilestone => ({
  key,
  title: `Milestone ${key}`,
  description: '',
  isClosed: false,
  dueAt: undefined,
  createdAt: at(0),
  updatedAt: at(1),
  closedAt: undefined,
  ...more,
})

export const PNG = '\x89PNG\r\n\x1a\n'.padEnd(64, 'x')
export const FILE = 'https://source.test/files/picture'
