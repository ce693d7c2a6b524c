import { stringify } from 'smol-toml'
import { describeAllowed } from './load.ts'
import { type Config, configSchema, environmentName, listSettings } from './schema.ts'

/** The settings that operators usually change; their sections come first in the schema. */
const USUAL = [
  ['data', 'data_dir'],
  ['address', 'server.host, server.port, server.root_url, server.trust_proxy'],
  ['HTTPS', 'tls.acme, or tls.cert_file, tls.key_file'],
  ['database', 'database.url'],
  ['SSH', 'ssh.enabled, ssh.host, ssh.port, ssh.domain'],
  ['accounts', 'service.require_signin_view, service.default_user_visibility, service.disable_regular_org_creation'],
  ['mail', 'mailer.enabled, mailer.host, mailer.port, mailer.user, mailer.password_file, mailer.from'],
  ['storage', 'storage.kind, storage.bucket, storage.endpoint'],
  ['backup', 'backup.kind, backup.directory, backup.bucket'],
] as const

/** The text of `config.example.toml`: every setting with its default, commented out. */
export function exampleConfig(): string {
  const lines = [
    '# Ingot configuration. Every line here shows a default; remove the # in front of a setting to change it.',
    '# Environment variables INGOT_<SECTION>_<KEY> override this file, and --set SECTION.KEY=VALUE overrides both.',
    '#',
    '# Most servers need only these:',
    ...USUAL.map(([purpose, ...names]) => `#   ${purpose.padEnd(20)}${names.join(', ')}`),
  ]
  let section = ''
  for (const setting of listSettings()) {
    if (setting.section !== section) {
      section = setting.section
      const description = configSchema.properties[section as keyof typeof configSchema.properties].description
      lines.push('', `# ${description ?? ''}`, `[${section}]`)
    }
    const value = stringify({ [setting.key]: setting.schema['default'] as string }).trim()
    lines.push(
      '',
      `# ${setting.schema.description ?? ''}`,
      `# Allowed: ${describeAllowed(setting.schema)}. Environment: ${environmentName(setting)}`,
      `# ${value}`,
    )
  }
  return `${lines.join('\n')}\n`
}

/** The effective configuration as TOML, without secrets. */
export function showConfig(config: Config): string {
  const redacted = structuredClone(config)
  const { database, mailer, security, signing, storage, webhook } = redacted
  const hide = (text: string): string => (text === '' ? '' : '[redacted]')
  const hidePassword = (url: string): string => url.replace(/:\/\/([^:@/]+):[^@]+@/, '://$1:[redacted]@')
  security.secret_key = hide(security.secret_key)
  security.former_secret_keys = security.former_secret_keys.map(hide)
  storage.secret_key = hide(storage.secret_key)
  mailer.password = hide(mailer.password)
  signing.passphrase = hide(signing.passphrase)
  database.url = hidePassword(database.url)
  webhook.proxy_url = hidePassword(webhook.proxy_url)
  return `${stringify(redacted)}\n`
}
