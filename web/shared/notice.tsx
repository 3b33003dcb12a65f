/** What the page says in place of the collection. */
export function Notice({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <div class="notice">
      <h1>{title}</h1>
      {children}
    </div>
  );
}
