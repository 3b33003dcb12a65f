/** The length of the film, in seconds. */
const FILM_SECONDS = 60;
const TRACK_TYPE = 'application/x-stave-track+json';
const STEP_SECONDS = 1;

const SHOTS = [
  { name: 'Harbor at dawn', seconds: 14, color: '#3d6b8e' },
  { name: 'The boat leaves', seconds: 18, color: '#8a5a44' },
  { name: 'Open water', seconds: 16, color: '#2f7d6b' },
  { name: 'Lighthouse', seconds: 12, color: '#6f5a96' },
];

const find = (selector) => document.querySelector(selector);
const [picture, clock, status] = [find('canvas'), find('#clock'), find('#status')];
const [playButton, playhead] = [find('#play'), find('.playhead')];
const [videoLane, musicLane, picker] = [
  find('.lane.video'),
  find('.lane.music'),
  find('stave-picker'),
];

/** The music of the film: what is heard, and from which second on. */
const clips = [];
let now = 0;
let startedAt;

const place = (node, start, seconds) => {
  node.style.setProperty('--start', start / FILM_SECONDS);
  node.style.setProperty('--length', Math.min(seconds, FILM_SECONDS - start) / FILM_SECONDS);
};

let begin = 0;
for (const shot of SHOTS) {
  const node = document.createElement('li');
  node.textContent = shot.name;
  node.style.setProperty('--color', shot.color);
  place(node, begin, shot.seconds);
  videoLane.append(node);
  begin += shot.seconds;
  shot.end = begin;
}

/** Puts a track on the timeline. */
function addClip(track, start) {
  const clip = { track, start: Math.max(0, Math.min(start, FILM_SECONDS - 1)), audio: new Audio() };
  clip.audio.preload = 'auto';
  clip.audio.src = track.streamUrl;
  const node = document.createElement('li');
  node.dataset.track = track.slug;
  const name = document.createElement('span');
  name.textContent = track.name;
  const move = (by) => {
    clip.start = Math.max(0, Math.min(clip.start + by, FILM_SECONDS - 1));
    show();
  };
  const show = () => {
    place(node, clip.start, track.durationSeconds);
    grip.setAttribute(
      'aria-label',
      `${track.name}, at ${clip.start.toFixed(0)} s. Arrow keys move it`,
    );
  };
  const grip = button('↔', '', () => {});
  grip.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -STEP_SECONDS, ArrowRight: STEP_SECONDS }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(by);
  });
  const remove = button('✕', `Remove ${track.name}`, () => {
    clip.audio.pause();
    clips.splice(clips.indexOf(clip), 1);
    node.remove();
    status.textContent = `${track.name} is removed.`;
    playButton.focus();
  });
  node.append(grip, name, remove);
  musicLane.append(node);
  clips.push(clip);
  show();
  status.textContent = `${track.name} begins at ${clip.start.toFixed(0)} s.`;
}

function button(text, label, act) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  if (label) made.setAttribute('aria-label', label);
  made.addEventListener('click', act);
  return made;
}

// The picker: a choice goes to the playhead, and what is dragged to where it is dropped.
picker.addEventListener('stave-select', ({ detail: track }) => addClip(track, now));
picker.addEventListener('stave-preview', () => pause());
picker.addEventListener('stave-error', ({ detail }) => {
  status.textContent = detail.message;
});
const isTrack = ({ dataTransfer }) => dataTransfer.types.includes(TRACK_TYPE);
musicLane.addEventListener('dragover', (event) => {
  if (!isTrack(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'copy';
  musicLane.classList.add('target');
});
musicLane.addEventListener('dragleave', () => musicLane.classList.remove('target'));
musicLane.addEventListener('drop', (event) => {
  musicLane.classList.remove('target');
  if (!isTrack(event)) return;
  event.preventDefault();
  const { left, width } = musicLane.getBoundingClientRect();
  const track = JSON.parse(event.dataTransfer.getData(TRACK_TYPE));
  addClip(track, Math.round(((event.clientX - left) / width) * FILM_SECONDS));
});

function draw() {
  const context = picture.getContext('2d');
  const shot = SHOTS.find(({ end }) => now < end) ?? SHOTS.at(-1);
  const part = 1 - (shot.end - now) / shot.seconds;
  context.fillStyle = shot.color;
  context.fillRect(0, 0, picture.width, picture.height);
  context.fillStyle = '#ffffff30';
  context.beginPath();
  context.arc(120 + 400 * part, 180 - 60 * Math.sin(Math.PI * part), 54, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = '#ffffff';
  context.font = '24px system-ui';
  context.fillText(shot.name, 24, picture.height - 24);
  playhead.style.setProperty('--start', now / FILM_SECONDS);
  clock.textContent = `${Math.floor(now / 60)}:${(now % 60).toFixed(1).padStart(4, '0')}`;
}

function tick(time) {
  if (startedAt === undefined) return;
  now = (time - startedAt) / 1_000;
  for (const { audio, start, track } of clips) {
    const isDue = now >= start && now < start + track.durationSeconds;
    if (isDue && audio.paused && !audio.ended) {
      audio.currentTime = now - start;
      audio.play().catch((error) => {
        status.textContent = `${track.name}: ${error.message}`;
      });
    }
  }
  if (now >= FILM_SECONDS) {
    now = 0;
    pause();
  } else {
    draw();
    requestAnimationFrame(tick);
  }
}

function pause() {
  startedAt = undefined;
  playButton.textContent = 'Play';
  for (const { audio } of clips) audio.pause();
  draw();
}

playButton.addEventListener('click', () => {
  if (startedAt !== undefined) {
    pause();
    return;
  }
  playButton.textContent = 'Pause';
  startedAt = performance.now() - now * 1_000;
  requestAnimationFrame(tick);
});
draw();
