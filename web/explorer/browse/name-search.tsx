import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Failure } from '../shell/failure.tsx';
import { t } from '../texts/texts.ts';

/** A button that asks for the name of a saved search, in a form below it. Escape closes the form. */
export function NameSearch({
  label,
  children,
  name,
  submit,
  save,
}: {
  /** The name of the button for screen readers. */
  label: string;
  /** What the button shows. */
  children: ComponentChildren;
  /** What the field contains at first. */
  name: string | undefined;
  /** The text of the button that submits. */
  submit: string;
  /** Saves the name that was typed. The form closes then, or shows why it fails. */
  save: (name: string) => Promise<void>;
}) {
  const isOpen = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // Before the visitor can type.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [isOpen.value]);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    failure.value = undefined;
    try {
      await save(field.current!.value.trim());
      // The focus moves to the heading.
      isOpen.value = false;
    } catch (error) {
      failure.value = error;
    }
  };
  const cancel = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    // The page would close what is beside the list.
    event.stopPropagation();
    isOpen.value = false;
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="quiet"
        aria-label={label}
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
          failure.value = undefined;
        }}
      >
        {children}
      </button>
      {isOpen.value && (
        <form class="inline whole" onSubmit={send} onKeyDown={cancel}>
          <input
            ref={field}
            required
            maxLength={200}
            aria-label={t('nameOfSearch')}
            placeholder={t('nameOfThisSearch')}
            defaultValue={name}
          />
          <button type="submit" class="primary">
            {submit}
          </button>
        </form>
      )}
      {isOpen.value && failure.value !== undefined && <Failure error={failure.value} />}
    </>
  );
}
