import { Value } from '@sinclair/typebox/value'
import { invalid } from '../../../../core/platform/errors.ts'
import { oidcKind } from './oidc-kind.ts'
import { OidcOptions, type OidcSettings } from './oidc.model.ts'

/** Settings from outside of the API. Throws invalid for unknown members and wrong values. */
export function readOidcOptions(given: unknown): Partial<OidcSettings> {
  if (given === null || typeof given !== 'object' || Array.isArray(given))
    throw invalid('the settings are not a JSON object')
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(oidcKind.defaults, name))
  if (unknown !== undefined) throw invalid(`unknown setting ${unknown}`)
  const wrong = Value.Errors(OidcOptions, given).First()
  if (wrong !== undefined) throw invalid(`${wrong.path.slice(1)}: ${wrong.message}`)
  return given
}
