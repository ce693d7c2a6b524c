import type { FastifyReply, FastifyRequest } from 'fastify'

export interface CookieJar {
  /** Empty when the browser sent none. */
  read(request: FastifyRequest, name: CookieName): string
  /** `maxAge` in seconds; without it the cookie ends with the session of the browser. */
  set(reply: FastifyReply, name: CookieName, value: string, maxAge?: number): void
  clear(reply: FastifyReply, name: CookieName): void
}

/** `session`: who is signed in. `form`: a browser that is not yet. */
type CookieName = 'session' | 'form'

/**
 * Cookies that scripts do not see and other sites do not send with forms. Over HTTPS at the root of a host their name
 * keeps other hosts of the domain from setting them.
 */
export function createCookieJar(rootUrl: () => string): CookieJar {
  const shape = (name: CookieName): { full: string; attributes: string } => {
    const { protocol, pathname } = new URL(rootUrl())
    const isSecure = protocol === 'https:'
    const prefix = isSecure && pathname === '/' ? '__Host-' : ''
    return {
      full: `${prefix}ingot_${name}`,
      attributes: `; Path=${pathname.replace(/(.)\/$/, '$1')}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
    }
  }
  const add = (reply: FastifyReply, cookie: string): void => void reply.header('set-cookie', cookie)
  return {
    read(request, name) {
      const { full } = shape(name)
      const pair = (request.headers.cookie ?? '')
        .split(';')
        .map((part) => part.trim())
        .find((part) => part.startsWith(`${full}=`))
      return pair?.slice(full.length + 1) ?? ''
    },
    set(reply, name, value, maxAge) {
      const { full, attributes } = shape(name)
      add(reply, `${full}=${value}${attributes}${maxAge === undefined ? '' : `; Max-Age=${maxAge}`}`)
    },
    clear(reply, name) {
      const { full, attributes } = shape(name)
      add(reply, `${full}=${attributes}; Max-Age=0`)
    },
  }
}
