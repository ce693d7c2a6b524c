import { isGroup, isText } from './issue-form.policy.ts'

export interface IssueConfig {
  readonly blankIssues: boolean
  readonly contactLinks: readonly ContactLink[]
}

interface ContactLink {
  readonly name: string
  readonly url: string
  readonly about: string
}

export const DEFAULT_ISSUE_CONFIG: IssueConfig = { blankIssues: true, contactLinks: [] }

/**
 * The settings in a parsed file, or a message with its first fault (behaviour/repositories#issue-templates-and-config).
 */
export function readIssueConfig(parsed: unknown): IssueConfig | string {
  if (parsed === null || parsed === undefined) return DEFAULT_ISSUE_CONFIG
  if (!isGroup(parsed)) return 'the file is no mapping'
  const { blank_issues_enabled: blank = true, contact_links: links = [] } = parsed
  if (typeof blank !== 'boolean') return 'blank_issues_enabled is not a boolean'
  if (!Array.isArray(links)) return 'contact_links is not a list'
  const found = links.map((link: unknown, index) => readLink(link, index + 1))
  return found.find((link) => typeof link === 'string') ?? { blankIssues: blank, contactLinks: found as ContactLink[] }
}

function readLink(link: unknown, position: number): ContactLink | string {
  if (!isGroup(link)) return `contact_link at position ${position} is no mapping`
  for (const key of ['name', 'url', 'about'])
    if (!isText(link[key])) return `contact_link at position ${position} is missing ${key} key`
  const { name, url, about } = link as Record<'name' | 'url' | 'about', string>
  return /^[a-z][a-z\d+.-]*:/i.test(url) && URL.canParse(url) ? { name, url, about } : `${url} is not a valid URL`
}
