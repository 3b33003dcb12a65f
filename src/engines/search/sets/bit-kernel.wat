;; Works on bitsets in one memory, 32 bytes at a time. Addresses and lengths are in bytes; lengths are
;; multiples of 32. "npm run reference" assembles this file into bit-kernel-bytes.ts. It counts 64 bits with
;; one instruction, which is faster than 16-byte vectors. Only scores and sounds are computed by vectors.
(module
  (import "bits" "memory" (memory 1 65536 shared))

  ;; Clears $bits.
  (func (export "clear") (param $bits i32) (param $length i32)
    (memory.fill (local.get $bits) (i32.const 0) (local.get $length)))

  ;; Stores the common members of $a and $b in $to, which may be one of the two, and returns their number.
  (func (export "intersect")
    (param $to i32) (param $a i32) (param $b i32) (param $length i32) (result i32)
    (local $end i32) (local $0 i64) (local $1 i64) (local $2 i64) (local $3 i64) (local $count i64)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (local.set $0 (i64.and (i64.load (local.get $a)) (i64.load (local.get $b))))
        (local.set $1 (i64.and (i64.load offset=8 (local.get $a)) (i64.load offset=8 (local.get $b))))
        (local.set $2 (i64.and (i64.load offset=16 (local.get $a)) (i64.load offset=16 (local.get $b))))
        (local.set $3 (i64.and (i64.load offset=24 (local.get $a)) (i64.load offset=24 (local.get $b))))
        (i64.store (local.get $to) (local.get $0))
        (i64.store offset=8 (local.get $to) (local.get $1))
        (i64.store offset=16 (local.get $to) (local.get $2))
        (i64.store offset=24 (local.get $to) (local.get $3))
        (local.set $count
          (i64.add
            (local.get $count)
            (i64.add
              (i64.add (i64.popcnt (local.get $0)) (i64.popcnt (local.get $1)))
              (i64.add (i64.popcnt (local.get $2)) (i64.popcnt (local.get $3))))))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (local.set $b (i32.add (local.get $b) (i32.const 32)))
        (br $next)))
    (i32.wrap_i64 (local.get $count)))

  ;; Stores the common members of three bitsets in $to, and returns their number.
  (func (export "intersectThree")
    (param $to i32) (param $a i32) (param $b i32) (param $c i32) (param $length i32) (result i32)
    (local $end i32) (local $0 i64) (local $1 i64) (local $2 i64) (local $3 i64) (local $count i64)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (local.set $0
          (i64.and
            (i64.and (i64.load (local.get $a)) (i64.load (local.get $b)))
            (i64.load (local.get $c))))
        (local.set $1
          (i64.and
            (i64.and (i64.load offset=8 (local.get $a)) (i64.load offset=8 (local.get $b)))
            (i64.load offset=8 (local.get $c))))
        (local.set $2
          (i64.and
            (i64.and (i64.load offset=16 (local.get $a)) (i64.load offset=16 (local.get $b)))
            (i64.load offset=16 (local.get $c))))
        (local.set $3
          (i64.and
            (i64.and (i64.load offset=24 (local.get $a)) (i64.load offset=24 (local.get $b)))
            (i64.load offset=24 (local.get $c))))
        (i64.store (local.get $to) (local.get $0))
        (i64.store offset=8 (local.get $to) (local.get $1))
        (i64.store offset=16 (local.get $to) (local.get $2))
        (i64.store offset=24 (local.get $to) (local.get $3))
        (local.set $count
          (i64.add
            (local.get $count)
            (i64.add
              (i64.add (i64.popcnt (local.get $0)) (i64.popcnt (local.get $1)))
              (i64.add (i64.popcnt (local.get $2)) (i64.popcnt (local.get $3))))))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (local.set $b (i32.add (local.get $b) (i32.const 32)))
        (local.set $c (i32.add (local.get $c) (i32.const 32)))
        (br $next)))
    (i32.wrap_i64 (local.get $count)))

  ;; Keeps the members of $to that are in $a, $b or $c, and returns their number.
  (func (export "keepAny")
    (param $to i32) (param $a i32) (param $b i32) (param $c i32) (param $length i32) (result i32)
    (local $end i32) (local $0 i64) (local $1 i64) (local $2 i64) (local $3 i64) (local $count i64)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (local.set $0
          (i64.and
            (i64.load (local.get $to))
            (i64.or
              (i64.or (i64.load (local.get $a)) (i64.load (local.get $b)))
              (i64.load (local.get $c)))))
        (local.set $1
          (i64.and
            (i64.load offset=8 (local.get $to))
            (i64.or
              (i64.or (i64.load offset=8 (local.get $a)) (i64.load offset=8 (local.get $b)))
              (i64.load offset=8 (local.get $c)))))
        (local.set $2
          (i64.and
            (i64.load offset=16 (local.get $to))
            (i64.or
              (i64.or (i64.load offset=16 (local.get $a)) (i64.load offset=16 (local.get $b)))
              (i64.load offset=16 (local.get $c)))))
        (local.set $3
          (i64.and
            (i64.load offset=24 (local.get $to))
            (i64.or
              (i64.or (i64.load offset=24 (local.get $a)) (i64.load offset=24 (local.get $b)))
              (i64.load offset=24 (local.get $c)))))
        (i64.store (local.get $to) (local.get $0))
        (i64.store offset=8 (local.get $to) (local.get $1))
        (i64.store offset=16 (local.get $to) (local.get $2))
        (i64.store offset=24 (local.get $to) (local.get $3))
        (local.set $count
          (i64.add
            (local.get $count)
            (i64.add
              (i64.add (i64.popcnt (local.get $0)) (i64.popcnt (local.get $1)))
              (i64.add (i64.popcnt (local.get $2)) (i64.popcnt (local.get $3))))))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (local.set $b (i32.add (local.get $b) (i32.const 32)))
        (local.set $c (i32.add (local.get $c) (i32.const 32)))
        (br $next)))
    (i32.wrap_i64 (local.get $count)))

  ;; The number of common members of $a and $b.
  (func (export "countCommon")
    (param $a i32) (param $b i32) (param $length i32) (result i32)
    (local $end i32) (local $count i64)
    (local.set $end (i32.add (local.get $a) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
        (local.set $count
          (i64.add
            (local.get $count)
            (i64.add
              (i64.add
                (i64.popcnt (i64.and (i64.load (local.get $a)) (i64.load (local.get $b))))
                (i64.popcnt
                  (i64.and (i64.load offset=8 (local.get $a)) (i64.load offset=8 (local.get $b)))))
              (i64.add
                (i64.popcnt
                  (i64.and (i64.load offset=16 (local.get $a)) (i64.load offset=16 (local.get $b))))
                (i64.popcnt
                  (i64.and (i64.load offset=24 (local.get $a)) (i64.load offset=24 (local.get $b))))))))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (local.set $b (i32.add (local.get $b) (i32.const 32)))
        (br $next)))
    (i32.wrap_i64 (local.get $count)))

  ;; Adds the members of $a to $to.
  (func (export "unite") (param $to i32) (param $a i32) (param $length i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (i64.store
          (local.get $to)
          (i64.or (i64.load (local.get $to)) (i64.load (local.get $a))))
        (i64.store offset=8
          (local.get $to)
          (i64.or (i64.load offset=8 (local.get $to)) (i64.load offset=8 (local.get $a))))
        (i64.store offset=16
          (local.get $to)
          (i64.or (i64.load offset=16 (local.get $to)) (i64.load offset=16 (local.get $a))))
        (i64.store offset=24
          (local.get $to)
          (i64.or (i64.load offset=24 (local.get $to)) (i64.load offset=24 (local.get $a))))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (br $next))))

  ;; Removes the members of $a from $to.
  (func (export "exclude") (param $to i32) (param $a i32) (param $length i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (i64.store
          (local.get $to)
          (i64.and (i64.load (local.get $to)) (i64.xor (i64.load (local.get $a)) (i64.const -1))))
        (i64.store offset=8
          (local.get $to)
          (i64.and (i64.load offset=8 (local.get $to)) (i64.xor (i64.load offset=8 (local.get $a)) (i64.const -1))))
        (i64.store offset=16
          (local.get $to)
          (i64.and (i64.load offset=16 (local.get $to)) (i64.xor (i64.load offset=16 (local.get $a)) (i64.const -1))))
        (i64.store offset=24
          (local.get $to)
          (i64.and (i64.load offset=24 (local.get $to)) (i64.xor (i64.load offset=24 (local.get $a)) (i64.const -1))))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (br $next))))

  ;; Adds numbers to the scores of the members of four bitsets. A score has 16 bits, so a vector has those of eight tracks.
  (func (export "addPoints")
    (param $scores i32) (param $a i32) (param $b i32) (param $c i32) (param $d i32)
    (param $ofA i32) (param $ofB i32) (param $ofC i32) (param $ofD i32) (param $length i32)
    (local $end i32) (local $word v128) (local $low v128) (local $high v128)
    (local $lows v128) (local $highs v128)
    (local $pointsA v128) (local $pointsB v128) (local $pointsC v128) (local $pointsD v128)
    (local.set $lows (v128.const i16x8 1 2 4 8 16 32 64 128))
    (local.set $highs (v128.const i16x8 256 512 1024 2048 4096 8192 16384 -32768))
    (local.set $pointsA (i16x8.splat (local.get $ofA)))
    (local.set $pointsB (i16x8.splat (local.get $ofB)))
    (local.set $pointsC (i16x8.splat (local.get $ofC)))
    (local.set $pointsD (i16x8.splat (local.get $ofD)))
    (local.set $end (i32.add (local.get $a) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
        (local.set $low (v128.load (local.get $scores)))
        (local.set $high (v128.load offset=16 (local.get $scores)))
        (local.set $word (v128.load16_splat (local.get $a)))
        (local.set $low
          (i16x8.add
            (local.get $low)
            (v128.and
              (local.get $pointsA)
              (i16x8.eq (v128.and (local.get $word) (local.get $lows)) (local.get $lows)))))
        (local.set $high
          (i16x8.add
            (local.get $high)
            (v128.and
              (local.get $pointsA)
              (i16x8.eq (v128.and (local.get $word) (local.get $highs)) (local.get $highs)))))
        (local.set $word (v128.load16_splat (local.get $b)))
        (local.set $low
          (i16x8.add
            (local.get $low)
            (v128.and
              (local.get $pointsB)
              (i16x8.eq (v128.and (local.get $word) (local.get $lows)) (local.get $lows)))))
        (local.set $high
          (i16x8.add
            (local.get $high)
            (v128.and
              (local.get $pointsB)
              (i16x8.eq (v128.and (local.get $word) (local.get $highs)) (local.get $highs)))))
        (local.set $word (v128.load16_splat (local.get $c)))
        (local.set $low
          (i16x8.add
            (local.get $low)
            (v128.and
              (local.get $pointsC)
              (i16x8.eq (v128.and (local.get $word) (local.get $lows)) (local.get $lows)))))
        (local.set $high
          (i16x8.add
            (local.get $high)
            (v128.and
              (local.get $pointsC)
              (i16x8.eq (v128.and (local.get $word) (local.get $highs)) (local.get $highs)))))
        (local.set $word (v128.load16_splat (local.get $d)))
        (local.set $low
          (i16x8.add
            (local.get $low)
            (v128.and
              (local.get $pointsD)
              (i16x8.eq (v128.and (local.get $word) (local.get $lows)) (local.get $lows)))))
        (local.set $high
          (i16x8.add
            (local.get $high)
            (v128.and
              (local.get $pointsD)
              (i16x8.eq (v128.and (local.get $word) (local.get $highs)) (local.get $highs)))))
        (v128.store (local.get $scores) (local.get $low))
        (v128.store offset=16 (local.get $scores) (local.get $high))
        (local.set $scores (i32.add (local.get $scores) (i32.const 32)))
        (local.set $a (i32.add (local.get $a) (i32.const 2)))
        (local.set $b (i32.add (local.get $b) (i32.const 2)))
        (local.set $c (i32.add (local.get $c) (i32.const 2)))
        (local.set $d (i32.add (local.get $d) (i32.const 2)))
        (br $next))))

  ;; Clears the scores of tracks that are not in $bits, stores the tracks that have a score above 1 in $to, and the greatest
  ;; score of each 64 tracks in $greatest. Returns the number of tracks in $to.
  (func (export "keepScores")
    (param $scores i32) (param $bits i32) (param $to i32) (param $greatest i32) (param $length i32)
    (result i32)
    (local $end i32) (local $count i32) (local $found i32)
    (local $word v128) (local $low v128) (local $high v128) (local $most v128)
    (local $lows v128) (local $highs v128) (local $one v128)
    (local.set $lows (v128.const i16x8 1 2 4 8 16 32 64 128))
    (local.set $highs (v128.const i16x8 256 512 1024 2048 4096 8192 16384 -32768))
    (local.set $one (i16x8.splat (i32.const 1)))
    (local.set $end (i32.add (local.get $bits) (local.get $length)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $bits) (local.get $end)))
        (local.set $word (v128.load16_splat (local.get $bits)))
        (local.set $low
          (v128.and
            (v128.load (local.get $scores))
            (i16x8.eq (v128.and (local.get $word) (local.get $lows)) (local.get $lows))))
        (local.set $high
          (v128.and
            (v128.load offset=16 (local.get $scores))
            (i16x8.eq (v128.and (local.get $word) (local.get $highs)) (local.get $highs))))
        (v128.store (local.get $scores) (local.get $low))
        (v128.store offset=16 (local.get $scores) (local.get $high))
        (local.set $most
          (i16x8.max_u (local.get $most) (i16x8.max_u (local.get $low) (local.get $high))))
        (local.set $found
          (i8x16.bitmask
            (i8x16.narrow_i16x8_s
              (i16x8.gt_u (local.get $low) (local.get $one))
              (i16x8.gt_u (local.get $high) (local.get $one)))))
        (local.set $count (i32.add (local.get $count) (i32.popcnt (local.get $found))))
        (i32.store16 (local.get $to) (local.get $found))
        (local.set $scores (i32.add (local.get $scores) (i32.const 32)))
        (local.set $to (i32.add (local.get $to) (i32.const 2)))
        (local.set $bits (i32.add (local.get $bits) (i32.const 2)))
        (br_if $next (i32.and (local.get $bits) (i32.const 7)))
        (i32.store16 (local.get $greatest) (call $greatestOf (local.get $most)))
        (local.set $most (v128.const i64x2 0 0))
        (local.set $greatest (i32.add (local.get $greatest) (i32.const 2)))
        (br $next)))
    (local.get $count))

  ;; The greatest of the eight numbers of a vector.
  (func $greatestOf (param $all v128) (result i32)
    (local.set $all
      (i16x8.max_u
        (local.get $all)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $all) (local.get $all))))
    (local.set $all
      (i16x8.max_u
        (local.get $all)
        (i8x16.shuffle 4 5 6 7 0 1 2 3 0 1 2 3 0 1 2 3 (local.get $all) (local.get $all))))
    (i16x8.extract_lane_u 0
      (i16x8.max_u
        (local.get $all)
        (i8x16.shuffle 2 3 0 1 0 1 0 1 0 1 0 1 0 1 0 1 (local.get $all) (local.get $all)))))

  ;; Counts the tracks in words $word to $end - 1 of $bits by the number of their 64 signs that are not those at $seed,
  ;; and adds the numbers to the 65 counts at $counts.
  (func (export "countSigns")
    (param $counts i32) (param $signs i32) (param $seed i32)
    (param $bits i32) (param $word i32) (param $end i32)
    (local $left i32) (local $track i32) (local $count i32) (local $wanted i64)
    (local.set $wanted (i64.load (local.get $seed)))
    (block $done
      (loop $nextWord
        (br_if $done (i32.ge_u (local.get $word) (local.get $end)))
        (local.set $left
          (i32.load (i32.add (local.get $bits) (i32.shl (local.get $word) (i32.const 2)))))
        (block $empty
          (loop $nextTrack
            (br_if $empty (i32.eqz (local.get $left)))
            (local.set $track
              (i32.add (i32.shl (local.get $word) (i32.const 5)) (i32.ctz (local.get $left))))
            (local.set $left
              (i32.and (local.get $left) (i32.sub (local.get $left) (i32.const 1))))
            (local.set $count
              (i32.add
                (local.get $counts)
                (i32.shl
                  (i32.wrap_i64
                    (i64.popcnt
                      (i64.xor
                        (local.get $wanted)
                        (i64.load (i32.add (local.get $signs) (i32.shl (local.get $track) (i32.const 3)))))))
                  (i32.const 2))))
            (i32.store
              (local.get $count)
              (i32.add (i32.load (local.get $count)) (i32.const 1)))
            (br $nextTrack)))
        (local.set $word (i32.add (local.get $word) (i32.const 1)))
        (br $nextWord))))

  ;; The sum of the four numbers of a vector, as a float.
  (func $total (param $sum v128) (result f32)
    (local.set $sum
      (i32x4.add
        (local.get $sum)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $sum) (local.get $sum))))
    (f32.convert_i32_s
      (i32.add
        (i32x4.extract_lane 0 (local.get $sum))
        (i32x4.extract_lane 1 (local.get $sum)))))

  ;; Stores at $to the numbers of the tracks in words $word to $end - 1 of $bits that have at most $most other signs than
  ;; the seed, and whose product with it is above $least times their length. Returns how many they are. A sound has 64
  ;; signed bytes, the seed 64 numbers of 16 bits and then 64 signs. The first loop stores the tracks with these signs,
  ;; without branches that cannot be predicted. The second one reads only the begin of each sound, so that the memory delivers
  ;; many at the same time; the third one, which compares them, would wait for one after another.
  (func (export "soundsAbove")
    (param $to i32) (param $sounds i32) (param $signs i32) (param $seed i32)
    (param $bits i32) (param $word i32) (param $end i32) (param $most i32) (param $least f32)
    (result i32)
    (local $from i32) (local $next i32) (local $left i32) (local $track i32) (local $sound i32)
    (local $wanted i64) (local $bytes v128) (local $low v128) (local $high v128)
    (local $product v128) (local $square v128)
    (local $0 v128) (local $1 v128) (local $2 v128) (local $3 v128)
    (local $4 v128) (local $5 v128) (local $6 v128) (local $7 v128)
    (local.set $from (local.get $to))
    (local.set $next (local.get $to))
    (local.set $wanted (i64.load offset=128 (local.get $seed)))
    (local.set $0 (v128.load offset=0 (local.get $seed)))
    (local.set $1 (v128.load offset=16 (local.get $seed)))
    (local.set $2 (v128.load offset=32 (local.get $seed)))
    (local.set $3 (v128.load offset=48 (local.get $seed)))
    (local.set $4 (v128.load offset=64 (local.get $seed)))
    (local.set $5 (v128.load offset=80 (local.get $seed)))
    (local.set $6 (v128.load offset=96 (local.get $seed)))
    (local.set $7 (v128.load offset=112 (local.get $seed)))
    (block $done
      (loop $nextWord
        (br_if $done (i32.ge_u (local.get $word) (local.get $end)))
        (local.set $left
          (i32.load (i32.add (local.get $bits) (i32.shl (local.get $word) (i32.const 2)))))
        (block $empty
          (loop $nextTrack
            (br_if $empty (i32.eqz (local.get $left)))
            (local.set $track
              (i32.add (i32.shl (local.get $word) (i32.const 5)) (i32.ctz (local.get $left))))
            (local.set $left
              (i32.and (local.get $left) (i32.sub (local.get $left) (i32.const 1))))
            (i32.store (local.get $to) (local.get $track))
            (local.set $to
              (i32.add
                (local.get $to)
                (i32.shl
                  (i32.le_u
                    (i32.wrap_i64
                      (i64.popcnt
                        (i64.xor
                          (local.get $wanted)
                          (i64.load
                            (i32.add (local.get $signs) (i32.shl (local.get $track) (i32.const 3)))))))
                    (local.get $most))
                  (i32.const 2))))
            (br $nextTrack)))
        (local.set $word (i32.add (local.get $word) (i32.const 1)))
        (br $nextWord)))
    (local.set $end (local.get $to))
    (block $read
      (loop $nextRead
        (br_if $read (i32.ge_u (local.get $next) (local.get $end)))
        (local.set $sound
          (i32.add (local.get $sounds) (i32.shl (i32.load (local.get $next)) (i32.const 6))))
        (local.set $low (v128.xor (local.get $low) (v128.load (local.get $sound))))
        (local.set $next (i32.add (local.get $next) (i32.const 4)))
        (br $nextRead)))
    (local.set $next (local.get $from))
    (local.set $to (local.get $from))
    (block $compared
      (loop $nextSound
        (br_if $compared (i32.ge_u (local.get $next) (local.get $end)))
        (local.set $track (i32.load (local.get $next)))
        (local.set $next (i32.add (local.get $next) (i32.const 4)))
        (local.set $sound
          (i32.add (local.get $sounds) (i32.shl (local.get $track) (i32.const 6))))
        (local.set $bytes (v128.load offset=0 (local.get $sound)))
        (local.set $low (i16x8.extend_low_i8x16_s (local.get $bytes)))
        (local.set $high (i16x8.extend_high_i8x16_s (local.get $bytes)))
        (local.set $product
          (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (local.get $0))
            (i32x4.dot_i16x8_s (local.get $high) (local.get $1))))
        (local.set $square
          (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (local.get $low))
            (i32x4.dot_i16x8_s (local.get $high) (local.get $high))))
        (local.set $bytes (v128.load offset=16 (local.get $sound)))
        (local.set $low (i16x8.extend_low_i8x16_s (local.get $bytes)))
        (local.set $high (i16x8.extend_high_i8x16_s (local.get $bytes)))
        (local.set $product
          (i32x4.add
            (local.get $product)
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $low) (local.get $2))
              (i32x4.dot_i16x8_s (local.get $high) (local.get $3)))))
        (local.set $square
          (i32x4.add
            (local.get $square)
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $low) (local.get $low))
              (i32x4.dot_i16x8_s (local.get $high) (local.get $high)))))
        (local.set $bytes (v128.load offset=32 (local.get $sound)))
        (local.set $low (i16x8.extend_low_i8x16_s (local.get $bytes)))
        (local.set $high (i16x8.extend_high_i8x16_s (local.get $bytes)))
        (local.set $product
          (i32x4.add
            (local.get $product)
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $low) (local.get $4))
              (i32x4.dot_i16x8_s (local.get $high) (local.get $5)))))
        (local.set $square
          (i32x4.add
            (local.get $square)
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $low) (local.get $low))
              (i32x4.dot_i16x8_s (local.get $high) (local.get $high)))))
        (local.set $bytes (v128.load offset=48 (local.get $sound)))
        (local.set $low (i16x8.extend_low_i8x16_s (local.get $bytes)))
        (local.set $high (i16x8.extend_high_i8x16_s (local.get $bytes)))
        (local.set $product
          (i32x4.add
            (local.get $product)
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $low) (local.get $6))
              (i32x4.dot_i16x8_s (local.get $high) (local.get $7)))))
        (local.set $square
          (i32x4.add
            (local.get $square)
            (i32x4.add
              (i32x4.dot_i16x8_s (local.get $low) (local.get $low))
              (i32x4.dot_i16x8_s (local.get $high) (local.get $high)))))
        (if
          (f32.gt
            (call $total (local.get $product))
            (f32.mul
              (local.get $least)
              (f32.sqrt (call $total (local.get $square)))))
          (then
            (i32.store (local.get $to) (local.get $track))
            (local.set $to (i32.add (local.get $to) (i32.const 4)))))
        (br $nextSound)))
    (i32.shr_u (i32.sub (local.get $to) (local.get $from)) (i32.const 2))))
