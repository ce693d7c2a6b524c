import { badRequest, invalid, invalidField } from '../../../core/platform/errors.ts'
import { branchFilterProblem } from './hooks.policy.ts'

/** Kinds of receivers; `forgejo` is as `gitea` (behaviour/orgs-webhooks-actions#webhooks). */
const TYPES = new Set([
  'gitea',
  'forgejo',
  'gogs',
  'slack',
  'discord',
  'dingtalk',
  'telegram',
  'msteams',
  'feishu',
  'matrix',
  'wechatwork',
  'packagist',
  'sourcehut_builds',
])
const SLACK = ['channel', 'username', 'icon_url', 'color'] as const

export type HookConfig = Readonly<Record<string, string>>

/** Throws Invalid for a malformed glob. */
export function requireBranchFilter(filter: string): string {
  const problem = branchFilterProblem(filter)
  if (problem !== undefined) throw invalidField('BranchFilter', problem)
  return filter
}

/** Throws Invalid for a text that HTTP takes in no header (RFC 9110, section 5.5): a delivery could not be sent. */
export function requireHeaderValue(value: string): string {
  if (!/^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value)) throw invalidField('AuthorizationHeader', 'HeaderValue')
  return value
}

export function requireType(type: string): string {
  if (!TYPES.has(type)) throw invalid(`Invalid hook type: ${type}`)
  return type
}

/** Throws Invalid unless it is an absolute http(s) address. Delivery checks whether the host is allowed. */
export function requireUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || !/^https?:\/\/[^/\\]/i.test(url) || /\s/.test(url))
    throw invalid('Invalid url')
  return url
}

export function requireContentType(type: string): 'json' | 'form' {
  if (type !== 'json' && type !== 'form') throw invalid('Invalid content type')
  return type
}

/** Throws Invalid when one of the options is missing. */
export function requireOptions(config: HookConfig, names: readonly string[]): void {
  const missing = names.find((name) => !config[name])
  if (missing !== undefined) throw invalid(`Missing config option: ${missing}`)
}

/**
 * Options of the type, such as the channel of `slack`; absent ones are taken from `current`. Throws Invalid if the
 * channel is missing, BadRequest if it is malformed.
 */
export function readSettings(type: string, config: HookConfig, current: HookConfig = {}): HookConfig {
  if (type !== 'slack') return {}
  const settings = Object.fromEntries(SLACK.map((name) => [name, config[name] ?? current[name] ?? '']))
  requireOptions(settings, ['channel'])
  if (!/^#?[a-z0-9_-]{1,80}$/.test(settings['channel']!)) throw badRequest('Invalid slack channel name')
  return settings
}

/**
 * COMPAT: `is_system_webhook` is a string of `config`, or a boolean of the body, which counts where the string is absent
 * (behaviour/decisions#webhooks-of-the-site; test/delivery/hooks/hooks.test.ts).
 */
export function isSystemHook(config: HookConfig, ofBody: boolean): boolean {
  const value = config['is_system_webhook'] || String(ofBody)
  if (value === 'true' || value === 'false') return value === 'true'
  throw invalid('Invalid is_system_webhook value')
}
