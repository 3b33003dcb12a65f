import Type from 'typebox';

/** The versions of contract and build (docs/contract/versions.md#version-object). */
export const VersionSchema = Type.Object(
  {
    apiVersion: Type.String({
      pattern: '^v[0-9]+$',
      description: 'Contract version of the URL paths.',
      examples: ['v1'],
    }),
    serviceVersion: Type.String({
      pattern: '^\\d+\\.\\d+\\.\\d+',
      description: 'Semantic version of the running build; for diagnostics only.',
      examples: ['0.1.0'],
    }),
  },
  { title: 'Version' },
);
