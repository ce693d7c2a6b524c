/** A field of an issue form, with defaults for absent members. */
export interface IssueFormField {
  readonly type: string
  readonly id: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly validations: Readonly<Record<string, unknown>> | null
  readonly visible: readonly string[]
}

type Group = Readonly<Record<string, unknown>>

export const isGroup = (value: unknown): value is Group =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

const TYPES = new Set(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes'])
const PLACES = new Set(['form', 'content'])
const MAX_FIELDS = 200

/**
 * The fields of a form (behaviour/repositories#issue-templates-and-config); undefined if there are none or one is
 * invalid.
 */
export function readFormFields(body: unknown): IssueFormField[] | undefined {
  if (!Array.isArray(body) || body.length === 0 || body.length > MAX_FIELDS) return undefined
  const fields = body.map((field: unknown, index) => readField(field, index + 1))
  if (!fields.every((field) => field !== undefined)) return undefined
  return new Set(fields.map((field) => field.id)).size === fields.length ? fields : undefined
}

function readField(field: unknown, position: number): IssueFormField | undefined {
  if (!isGroup(field) || typeof field['type'] !== 'string' || !TYPES.has(field['type'])) return undefined
  const {
    type,
    id = String(position),
    attributes,
    validations = null,
    visible = type === 'markdown' ? ['form'] : ['form', 'content'],
  } = field
  const hasId = typeof id === 'string' && /^[\w-]+$/.test(id)
  const isVisible = Array.isArray(visible) && visible.every((place) => PLACES.has(place as string))
  if (
    !hasId ||
    !isVisible ||
    !isGroup(attributes) ||
    !areAttributes(type, attributes) ||
    !areValidations(type, validations)
  )
    return undefined
  return { type, id, attributes, validations: validations as Group | null, visible: visible as string[] }
}

function areAttributes(type: string, attributes: Group): boolean {
  if (type === 'markdown') return isText(attributes['value'])
  if (!isText(attributes['label'])) return false
  const texts = ['description', 'placeholder', 'value', 'render'].every((name) =>
    ['undefined', 'string'].includes(typeof attributes[name]),
  )
  if (!texts) return false
  const { options } = attributes
  if (type === 'dropdown')
    return (
      isList(options) &&
      options.every(isText) &&
      isFlag(attributes['multiple']) &&
      isFlag(attributes['list']) &&
      isDefault(attributes['default'], options.length)
    )
  return type !== 'checkboxes' || (isList(options) && options.every(isCheckbox))
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0
const isFlag = (value: unknown): boolean => value === undefined || typeof value === 'boolean'
const isDefault = (value: unknown, count: number): boolean =>
  value === undefined || (Number.isInteger(value) && (value as number) >= 0 && (value as number) < count)

function isCheckbox(option: unknown): boolean {
  if (!isGroup(option) || !isText(option['label']) || !isFlag(option['required'])) return false
  const { visible } = option
  return visible === undefined || (Array.isArray(visible) && visible.every((place) => PLACES.has(place as string)))
}

function areValidations(type: string, validations: unknown): boolean {
  if (validations === null) return true
  if (!isGroup(validations) || !isFlag(validations['required'])) return false
  return (
    type !== 'input' ||
    (isFlag(validations['is_number']) && ['undefined', 'string'].includes(typeof validations['regex']))
  )
}

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
 * The settings in a parsed file, or a message with the first error (behaviour/repositories#issue-templates-and-config).
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
