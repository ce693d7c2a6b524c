/** The subjects that a rule can limit (behaviour/auth-and-access#quota). */
export const QUOTA_SUBJECTS = [
  'none',
  'size:all',
  'size:repos:all',
  'size:repos:public',
  'size:repos:private',
  'size:git:all',
  'size:git:lfs',
  'size:assets:all',
  'size:assets:attachments:all',
  'size:assets:attachments:issues',
  'size:assets:attachments:releases',
  'size:assets:artifacts',
  'size:assets:packages:all',
  'size:assets:wiki',
] as const
export type QuotaSubject = (typeof QUOTA_SUBJECTS)[number]

export const isQuotaSubject = (text: string): text is QuotaSubject =>
  (QUOTA_SUBJECTS as readonly string[]).includes(text)

export interface QuotaLimits {
  /** Bytes; -1 is no limit, 0 allows nothing. */
  readonly limit: number
  readonly subjects: readonly QuotaSubject[]
}

/** Bytes that an owner uses, each counted once. */
export interface QuotaUsage {
  readonly reposPublic: number
  readonly reposPrivate: number
  readonly lfs: number
  readonly issueAttachments: number
  readonly releaseAttachments: number
  readonly artifacts: number
  readonly packages: number
}

/** The subjects whose rules apply to a subject that no rule names. */
const PARTS: Partial<Record<QuotaSubject, readonly QuotaSubject[]>> = {
  'size:all': ['size:repos:all', 'size:git:lfs', 'size:assets:all'],
  'size:repos:all': ['size:repos:public', 'size:repos:private'],
  'size:assets:all': ['size:assets:attachments:all', 'size:assets:artifacts', 'size:assets:packages:all'],
  'size:assets:attachments:all': ['size:assets:attachments:issues', 'size:assets:attachments:releases'],
}

/** The bytes used for a subject. Wikis count 0. */
export function usedOf(usage: QuotaUsage, subject: QuotaSubject): number {
  switch (subject) {
    case 'size:repos:public':
      return usage.reposPublic
    case 'size:repos:private':
      return usage.reposPrivate
    case 'size:git:all':
      return usage.reposPublic + usage.reposPrivate + usage.lfs
    case 'size:git:lfs':
      return usage.lfs
    case 'size:assets:attachments:issues':
      return usage.issueAttachments
    case 'size:assets:attachments:releases':
      return usage.releaseAttachments
    case 'size:assets:artifacts':
      return usage.artifacts
    case 'size:assets:packages:all':
      return usage.packages
    default:
      return (PARTS[subject] ?? []).reduce((sum, part) => sum + usedOf(usage, part), 0)
  }
}

/** Whether the usage is within the rules of a group; undefined when none of them limits the subject or its parts. */
export function isWithinGroup(
  rules: readonly QuotaLimits[],
  usage: QuotaUsage,
  subject: QuotaSubject,
): boolean | undefined {
  const verdicts = rules
    .filter((rule) => rule.limit === -1 || rule.subjects.includes(subject))
    .map((rule) => isWithin(rule, usage))
  if (verdicts.length > 0) return verdicts.every(Boolean)
  const parts = (PARTS[subject] ?? [])
    .map((part) => isWithinGroup(rules, usage, part))
    .filter((verdict) => verdict !== undefined)
  return parts.length === 0 ? undefined : parts.every(Boolean)
}

/** Whether the usage is within the rules of at least one group; false when no group limits the subject. */
export const isWithinAnyGroup = (
  groups: readonly (readonly QuotaLimits[])[],
  usage: QuotaUsage,
  subject: QuotaSubject,
): boolean => groups.some((rules) => isWithinGroup(rules, usage, subject) === true)

/** A rule with several subjects limits their sum. */
export const isWithin = ({ limit, subjects }: QuotaLimits, usage: QuotaUsage): boolean =>
  limit === -1 || subjects.reduce((sum, subject) => sum + usedOf(usage, subject), 0) <= limit
