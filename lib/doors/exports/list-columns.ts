import type { ListRoute } from './list-routes.ts'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

// Columns that several routes share.
const comments = words(`
  comment_id id project user.username comment parent is_deleted created_at updated_at reply_count
  reaction_summary.upvotes reaction_summary.downvotes
`)
const queued = words(`
  entity_id name description category status canonical_status kind cidoc_id contributor.username created_at
  updated_at current_revision.revision_id current_revision.revision_number deleted_at is_deleted
  latest_revision.revision_id latest_revision.revision_number latest_revision.created_at activity_count
  flag_count has_conflicts days_in_review triage_priority worst_source_tier worst_source_type why_here
  lease.held_by.username lease.until labels
`)
const revisions = words(`
  revision_id entity revision_number data created_by.username created_at entity_name is_accepted
`)

/**
 * The columns of each list as a table, by route. A column is a member of a row; a dot leads into an object, as in `user.username`. Lists
 * of records have the columns of their kind instead (table.ts).
 */
export const listColumns: Readonly<Record<ListRoute, readonly string[]>> = {
  'GET /data/public-contributions/': words(`
    id entity entity_reference_id entity_name entity_name_display contribution_type content contributor_name
    contributor_email contributor_phone source_description submitted_via latitude longitude status
    reviewed_by_username reviewed_at review_notes promoted_entity promoted_claim canonical_status created_at
    updated_at
  `),
  'GET /data/tabular-import-jobs/': words(`
    id status source_filename provenance column_mapping row_count validation_errors user_safe_error created_at
    updated_at
  `),
  'GET /data/ocr-documents/': words(`
    id media file_name description cultural_entity submission status document_type classification_confidence
    processing_started processing_finished user_safe_error raw_text provenance finalized_at created_at
  `),
  'GET /data/organizations/': words(`
    id name short_name description logo website country focus_areas is_verified member_count owner_username
    created_at
  `),
  'GET /data/activities/': words(`
    activity_id activity_type comment created_at user.username entity_id entity_name entity_category
    entity_status
  `),
  'GET /cidoc/assertions/': words(`
    id property value asserted_property asserted_value assertion_content source_type source_citation
    source_url source confidence confidence_score data_quality_note justification_note crminf_conclusion
    temporal_scope_edtf generated_at_time supporting_sources attributed_to_agent software entity_type
    entity_id cultural_entity_id object_id content_type_name object_entity_type object_entity_id
    contributed_by reconciliation_status supersedes refines revision_number created_at updated_at labels
  `),
  'GET /cidoc/relationship-predicates/': words('id code label inverse_label'),
  'GET /data/projects/{slug}/assets/': words(`
    id project media media_type content_type file_name size sha256 width height orientation role caption
    version_label source_institution collection_name language ocr_language copyright_note ocr_status
    ocr_error uploaded_document_id entity_suggestions uploaded_by.username created_at updated_at
  `),
  'GET /cidoc/entity-clusters/': words(`
    id canonical_label name type_scope registry_key locked lock_reason note version merged_into
    curated_aliases external_identifiers contributor created_at updated_at
  `),
  'GET /merge-requests/': words(`
    id project project_title project_slug status scope summary justification opened_by_username reviewed_by_username
    reviewer_note conflict_diff.added_count conflict_diff.conflict_count opened_at updated_at merged_at
  `),
  'GET /cidoc/identity-candidates/': words(`
    id status left.entity_type left.entity_id left.title right.entity_type right.entity_id right.title
    signal_scores notes created_at updated_at
  `),
  'GET /data/entities/{entity_id}/comments/': words(`
    comment_id id submission entity_id user.username comment parent is_deleted created_at updated_at
    reply_count reaction_summary.upvotes reaction_summary.downvotes
  `),
  'GET /data/entities/{entity_id}/comments/{id}/replies/': words(`
    comment_id id submission entity_id user.username comment parent is_deleted created_at updated_at
    reply_count reaction_summary.upvotes reaction_summary.downvotes
  `),
  'GET /data/comments/': words(`
    comment_id id submission entity_id entity_name user comment parent created_at updated_at
  `),
  'GET /data/cultural-entities/': words(`
    entity_id name description category status canonical_status kind cidoc_id contributor.username created_at
    updated_at current_revision.revision_id current_revision.revision_number deleted_at is_deleted labels
  `),
  'GET /data/cultural-entities/my_contributions/': words(`
    entity_id name description category status canonical_status kind cidoc_id contributor.username created_at
    updated_at current_revision.revision_id current_revision.revision_number deleted_at is_deleted
    latest_feedback.activity_id latest_feedback.activity_type latest_feedback.comment
    latest_feedback.created_at latest_feedback.user.username latest_feedback.entity_id
    latest_feedback.entity_name labels
  `),
  'GET /data/review-flags/': words(`
    id entity entity_id entity_name entity_category flag_type reason flagged_by.username property
    assertion_ids other_entity_id other.entity_id other.kind other.id other.name is_resolved
    resolved_by.username resolved_at created_at
  `),
  'GET /data/imports/': words(`
    id file_name format size state contributor.username kind counts.new counts.same counts.changes
    counts.doubtful counts.conflict counts.refused made.created made.amended made.left made.failed
    progress.task progress.done progress.of failed files_until created_at updated_at
  `),
  'GET /data/imports/{id}/rows/': words(`
    row outcome name entity_id faults alike changes conflicts makes run.what run.reason record.kind record.id
    record.status record.open_flags record.deleted
  `),
  'GET /data/leaderboard/': words(`
    rank user_id username full_name institution country score entities accepted_entities reviews revisions
    submissions accepted_submissions
  `),
  'GET /data/contributors/': words(`
    rank user_id username full_name contributions_count accepted_count forks_count merged_forks_count reviews_count
    revisions_count score date_joined
  `),
  'GET /data/notifications/': words(`
    notification_id user notification_type message link is_read entity_id entity_name entity_category
    actor_username actor_display_name project submission created_at
  `),
  'GET /api/curator-alerts/': words(`
    id reconciled_link reconciled_link_detail.entity_uri reconciled_link_detail.target_uri
    reconciled_link_detail.authority issue_type status detail detected_at resolved_at resolved_by
    resolved_by_username suggested_replacement_uri created_at
  `),
  'GET /api/reconciled-links/': words(`
    id entity_uri entity_id match_type target_uri target_label authority is_stale last_verified created_at
    updated_at
  `),
  'GET /data/projects/': words(`
    id slug title abstract intended_subject languages license owner.username visibility state tags pid
    asset_count entity_count collaborator_count submitted_at merged_at created_at updated_at
  `),
  'GET /data/projects/{slug}/activity/': words(`
    id project actor.username action target_kind target_id payload created_at
  `),
  'GET /data/projects/{slug}/merge-preview/': words(`
    id project entity entity_name entity_category entity_status role_in_project added_by.username added_at
    outcome blocker becomes.status becomes.is_published becomes.revision difference conflicts look_alikes
  `),
  'GET /data/projects/{slug}/memberships/': words(`
    id project user.username role invited_by.username created_at updated_at
  `),
  'GET /data/projects/{slug}/entities/': words(`
    id project entity entity_name entity_category entity_status role_in_project added_by.username added_at
  `),
  'GET /data/projects/{slug}/comments/': comments,
  'GET /data/projects/{slug}/comments/{id}/replies/': comments,
  'GET /data/review-queue/': queued,
  'GET /data/contribution-queue/': queued,
  'GET /data/review-decisions-profile/': words('id entity_id entity_name verdict created_at'),
  'GET /data/revisions/': revisions,
  'GET /data/revisions/{id}/entity_history/': revisions,
  'GET /data/reviewer-roles/': words(`
    id user.username role expertise_areas is_active assigned_by.username can_override_confidence
    can_resolve_conflicts can_manage_roles created_at updated_at
  `),
  'GET /data/reviewer-applications/': words(`
    id user.username message status admin_notes reviewed_by.username reviewed_at created_at updated_at
  `),
  'GET /data/platform-admin/users/': words(`
    id username is_active is_staff is_superuser date_joined groups reviewer_role.role reviewer_role.is_active
  `),
  'GET /data/search/': words(`
    resource id title summary status is_published updated_at score url location_hint cultural_entity_id
    name_ne kind place year coordinates.lat coordinates.lng snippet distance_km when
  `),
  'GET /resource/': words('address kind id name name_ne'),
  'GET /cidoc/discovery/': words(`
    id resource type name summary location_hint cultural_entity_id status is_published has_media
  `),
  'GET /data/reviewer-dashboard/disagreements/': words('kind property values rivalled judged_twice alpha between'),
  'GET /cidoc/data_sources/{id}/dependents/': words(`
    entity_id kind cidoc_id entity_name property label value claim rests_on_it_alone instead.claim instead.value
    decided
  `),
  'GET /cidoc/data_sources/': words(`
    id name source_type citation source_citation url source_url url_of_source author publication_year
    language source_language note archival_location digitization_activity iiif_manifest_url
    publication_timespan datacite_identifier datacite_identifier_type datacite_creator datacite_publisher
    datacite_publication_year datacite_resource_type pid declared_license epistemic_stance access_tier
    care_labels ingest_status contributed_by hg_class created_at updated_at deleted_at is_deleted labels
  `),
  'GET /data/submissions/': words(`
    id submission_id title description contributor contributor_username status cultural_heritage
    contribution_type contribution_data created_at Alternative_name_s Anglicized_name Base_plinth_depth
    Base_plinth_height Base_plinth_width Cakula_depth Cakula_height Cakula_width Capital_depth Capital_height
    Capital_width Circumference City_quarter_tola Column_depth Column_height Column_width Commentary
    Date_BCE_CE Date_VS_NS Depth Description_for_past_interventions Description_in_Nepali Details District
    Edge_at_platform Editorial_team End_date Event_name Forms_of_columns Gate Height Heritage_focus_area
    Identified_threats Image_declaration Inscription_identification_number Lintel_depth Lintel_height
    Main_deity_in_the_sanctum Maps_and_drawing_type Monument_assessment Monument_depth Monument_diameter
    Monument_height_approximate Monument_length Monument_name Monument_shape Monument_type
    Municipality_village_council Name Name_in_Devanagari Nepali_month Number_of_bays_front
    Number_of_bays_sides Number_of_doors Number_of_plinth Number_of_roofs Number_of_storeys Number_of_struts
    Number_of_wood_carved_windows Object_ID_number Object_location Object_material Object_type Paksa
    Peculiarities Period Platform_floor Profile_at_base Province_number Reference_source Religion Roofing
    Short_description Sources Thickness_of_main_wall Tithi Top_plinth_depth Top_plinth_height
    Top_plinth_width Type_of_bricks Type_of_roof Width Year_SS_NS_VS
  `),
  'GET /data/submission-suggestions/': words(`
    id submission submission_id suggested_by title description contribution_data approved reviewed_by
    reviewed_at created_at
  `),
  'GET /data/testthelogin/': words('id username'),
  'GET /cidoc/{segment}/{id}/history/': words(
    'at event revision_number author.username verdict decided_by.username note changes',
  ),
  'GET /data/entities/{entity_id}/history/': words(
    'at event revision_number author.username verdict decided_by.username note changes',
  ),
}
