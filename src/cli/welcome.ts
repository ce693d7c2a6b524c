import type { App } from '../app/modules.ts'
import { isTlsOn } from '../core/config/index.ts'
import { isDomainError } from '../core/platform/errors.ts'
import { randomPassword } from '../core/platform/crypto/crypto.ts'
import { commandLine } from '../domains/accounts/index.ts'

/** Returns the server's address and, if there is no user yet, creates the first administrator. */
export async function welcome(app: App): Promise<string> {
  const url = app.site.rootUrl()
  const lines = [`Ingot is listening at ${url}`]
  const password = (await app.users.count()) === 0 ? await createAdministrator(app) : undefined
  if (password !== undefined) {
    lines.push(
      '',
      `Created the first administrator:   admin   password: ${password}`,
      'The password is not shown again. Next:',
      `  curl -u admin:${password} -H 'content-type: application/json' -d '{"name":"hello","auto_init":true}' ${url}/api/v1/user/repos`,
      `  git clone ${url}/admin/hello.git`,
    )
    if (!isTlsOn(app.config.tls))
      lines.push(
        '',
        'For HTTPS, add two lines to the configuration file (--config FILE, docs/operate/https.md):',
        '  server.root_url = "https://git.example.org"',
        '  tls.acme = true',
      )
  }
  if (app.config.api.enable_swagger) lines.push('', `API reference: ${url}/api/swagger`)
  return lines.join('\n')
}

/** Returns its password; undefined when another node that starts for the first time has just created it. */
async function createAdministrator({ config, users }: App): Promise<string | undefined> {
  const password = randomPassword(config.security.min_password_length)
  try {
    await users.create(commandLine, { name: 'admin', email: 'admin@localhost', password, isAdmin: true })
    return password
  } catch (error) {
    if (isDomainError(error, 'invalid')) return undefined
    throw error
  }
}
