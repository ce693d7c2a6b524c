/** The rules of a kind of sign-in source. */
export interface KindRules<Settings extends object> {
  /** The values of settings that a new source does not give. */
  readonly defaults: Settings
  /** Settings that are never returned: a change without them leaves them as they are. */
  readonly secrets: readonly (keyof Settings & string)[]
  /** Throws Invalid, with the name of the field. */
  check(settings: Settings): Promise<void>
}
