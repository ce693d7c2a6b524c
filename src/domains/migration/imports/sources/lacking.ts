import type { Source, SourceIssue } from '../source.ts'

async function* nothing(): AsyncGenerator<never, void, undefined> {}

/** Members of a source whose service does not have them. */
export const LACKING: Omit<Source, 'facts' | 'download'> = {
  labels: nothing,
  milestones: nothing,
  issues: nothing,
  pulls: nothing,
  comments: nothing,
  events: nothing,
  reviews: nothing,
  trackedTimes: nothing,
  dependencies: nothing,
  releases: nothing,
  protections: async () => ({ branches: [], tags: [] }),
  counts: async () => ({}),
  filesIn: () => [],
  rewriteReferences: (text) => text,
}

/** Defaults of members of an issue or pull request that its service does not have. */
export const LACKING_OF_ISSUE = {
  isLocked: false,
  dueAt: undefined,
  ref: '',
  pinOrder: 0,
  timeEstimate: 0,
  reactions: [],
  assets: [],
} as const satisfies Partial<SourceIssue>
